import BLECore
import BLEHCI
import Transport

/// A missing controller: why it is missing, and what looks for it.
struct AbsentController {
  /// The interval of the search, in case udev does not report the port.
  static let interval = Duration.seconds(1)

  /// Starts the next search after the interval.
  var timer: TimerID
  /// Starts a search when udev reports a port, with the watch that reacts to it.
  var monitor: (source: SerialPortMonitor, watch: WatchID)?
  /// The reason that was reported last.
  var reason: String
  /// Whether a search is in progress.
  var isLooking = false
}

extension LineOwner {
  /// Opens the controller, and starts as soon as it is present.
  func seekController() async throws(AccessoryFailure) {
    do throws(TransportError) {
      let address = try await chosenController()
      guard !hasEnded else { return }
      let opened = try await open(address)
      guard !hasEnded else { return }
      if case .auto = controllerAddress { tell(.controllerFound(address.description)) }
      take(opened, at: address)
    } catch {
      guard !hasEnded else { return }
      guard waitsForController, isWorthWaiting(error) else { throw .unavailable(error) }
      beginSearch(error.description)
    }
  }

  /// Returns the address to open: the port that `auto` chooses, or the given address.
  private func chosenController() async throws(TransportError) -> ControllerAddress {
    guard case .auto = controllerAddress else { return controllerAddress }
    return .serial(try await BoardFinder.automatic(on: loop))
  }

  /// Returns whether a controller that cannot be opened now may appear soon.
  private func isWorthWaiting(_ error: TransportError) -> Bool {
    switch error.kind {
    case .notFound: true
    // With `auto`, the ports exist but no controller answers on them, and waiting does not change that.
    case .unreachable, .timedOut: controllerAddress != .auto
    default: false
    }
  }

  /// Starts waiting for the controller. `reason` is why it is missing, if known.
  func beginSearch(_ reason: String?) {
    let timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.lookSoon() } }
    search = AbsentController(timer: timer, reason: reason ?? "")
    if let reason { tell(.controllerMissing(reason)) }
    // Without udev, the timer is sufficient.
    if let source = try? SerialPortMonitor() {
      let watch = loop.watch(source.descriptor, .readable) { [weak self] _ in
        self?.assumeIsolated { seeker in
          if seeker.search?.monitor?.source.take() == true { seeker.lookSoon() }
        }
      }
      search?.monitor = (source, watch)
    }
    loop.setTimer(timer, loop.now() + AbsentController.interval)
  }

  /// Ends the search, with or without a controller.
  func endSearch() {
    guard let ended = search else { return }
    search = nil
    loop.removeTimer(ended.timer)
    if let monitor = ended.monitor { loop.unwatch(monitor.watch) }
  }

  private func lookSoon() {
    guard search?.isLooking == false else { return }
    search?.isLooking = true
    Task { await look() }
  }

  /// Checks whether the controller is present by now, and starts with it if so.
  private func look() async {
    do throws(TransportError) {
      let address = try await awaitedController()
      guard search != nil else { return }
      let opened = try await open(address)
      guard search != nil else { return }
      endSearch()
      tell(.controllerFound(address.description))
      take(opened, at: address)
    } catch {
      guard let said = search?.reason else { return }
      if said != error.description { tell(.controllerMissing(error.description)) }
      search?.reason = error.description
      search?.isLooking = false
      if let timer = search?.timer { loop.setTimer(timer, loop.now() + AbsentController.interval) }
    }
  }

  /// Opens an address. Connecting, which can take time, does not block the loop.
  private func open(_ address: ControllerAddress) async throws(TransportError) -> OpenedController {
    let place: LinePlace
    switch address {
    case .tcpClient(let host, let port): place = .tcp(host: host, port: port)
    case .unix(let path): place = .unix(path: path)
    default: return try address.open()
    }
    let loop = loop
    let outcome = await withCheckedContinuation { continuation in
      loop.open(place) { continuation.resume(returning: $0) }
    }
    return .line(try outcome.get())
  }

  /// Returns the controller's current address. Its port may have a new path.
  private func awaitedController() async throws(TransportError) -> ControllerAddress {
    guard let served else { return try await chosenController() }
    var settings = served.settings
    guard let port = SerialPorts.list().first(where: { $0.isSame(as: served.port) }) else {
      let number = served.port.serialNumber.map { " with the serial number \($0)" } ?? ""
      throw TransportError(
        kind: .notFound, what: "cannot open the serial port", place: controllerAddress.description,
        why: "the board\(number) is missing", advice: "plug it in again")
    }
    settings.path = port.path
    return .serial(settings)
  }

  // MARK: - Opened controllers

  /// Starts with the result of opening an address.
  private func take(_ opened: OpenedController, at address: ControllerAddress) {
    var lineKind = LineKind.plain
    if case .serial(let settings) = address {
      served = SerialPorts.port(at: settings.path).map { ServedPort(port: $0, settings: settings) }
      lineKind = .serial
    }
    switch opened {
    case .line(let line): carry(line, lineKind)
    case .terminal(let terminal):
      tell(.awaitingController(terminal.link ?? terminal.devicePath))
      carry(terminal.line, .terminal)
    case .listening(let socket): awaitController(at: socket)
    }
  }

  /// Waits for the controller to connect. Any program can connect; the first that uses H4 is accepted as the controller.
  private func awaitController(at socket: ListeningSocket) {
    tell(.awaitingController("port \(socket.port)"))
    let watch = loop.watch(socket.descriptor, .readable) { [weak self] _ in
      self?.assumeIsolated { $0.acceptController(from: socket) }
    }
    transport = .awaiting(socket, watch)
  }

  private func acceptController(from socket: ListeningSocket) {
    // A connection that has sent nothing must not keep the next one out.
    guard case .awaiting(_, let watch) = transport else { return refuseLine(.silent) }
    guard let line = try? socket.accept() else { return }
    entrance = ControllerEntrance(socket: socket, watch: watch)
    carry(line, .plain)
  }

  /// Returns whether the octets come from a controller, or may be the beginning of a packet. If not, the line
  /// is closed, and the accessory waits for the controller again.
  func isController(_ octets: Span<UInt8>) -> Bool {
    guard let verdict = entrance?.opening.examine(octets) else { return true }
    switch verdict {
    case .h4: closeEntrance()
    case .undecided: break
    case .foreign(let speech):
      refuseLine(.foreign(speech))
      return false
    }
    return true
  }

  /// Returns whether the line has ended before it was known to be a controller's. If so, the accessory waits for the controller again.
  func endedUnproven() -> Bool {
    guard entrance != nil else { return false }
    refuseLine(.silent)
    return true
  }

  private func refuseLine(_ reason: LineRefusal.Reason) {
    guard let entrance else { return }
    loop.unwatch(entrance.watch)
    self.entrance = nil
    lineRefused()
    tell(.lineRefused(LineRefusal(place: entrance.socket.peerAddress.description, reason: reason)))
    awaitController(at: entrance.socket)
  }

  /// Stops listening for other connections.
  func closeEntrance() {
    if let entrance { stopListening(entrance.socket, entrance.watch) }
    entrance = nil
  }

  /// Stops listening at once, even if the socket's descriptor lives on for a moment.
  func stopListening(_ socket: ListeningSocket, _ watch: WatchID) {
    socket.end()
    loop.unwatch(watch)
  }

  private func carry(_ line: Line, _ lineKind: LineKind) {
    let watch = loop.watch(line.descriptor, .readable, isPeer: true) { [weak self] events in
      self?.assumeIsolated { $0.lineReady(events) }
    }
    transport = .line(line, watch)
    lineOpened(lineKind)
  }
}
