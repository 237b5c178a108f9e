import BLECore
import BLEHCI
import Transport

/// A controller that is not there: why, and what looks for it again.
struct AbsentController {
  /// How often the ports are looked at, should udev not tell.
  static let interval = Duration.seconds(1)

  /// Looks again after a while.
  var timer: TimerID
  /// Looks again when udev tells of a port, and what wakes it.
  var monitor: (source: SerialPortMonitor, watch: WatchID)?
  /// Why there is no controller, as was last said.
  var reason: String
  /// Whether a look is under way.
  var isLooking = false
}

extension LineOwner {
  /// Opens the controller, and begins with it as soon as it is there.
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

  /// The address to open: what `auto` means, else as it is given.
  private func chosenController() async throws(TransportError) -> ControllerAddress {
    guard case .auto = controllerAddress else { return controllerAddress }
    return .serial(try await BoardFinder.automatic(on: loop))
  }

  /// Whether a controller that cannot be opened now may be there soon.
  private func isWorthWaiting(_ error: TransportError) -> Bool {
    switch error.kind {
    case .notFound: true
    // Nobody answers behind ports that are there, and that does not change by itself.
    case .unreachable, .timedOut: controllerAddress != .auto
    default: false
    }
  }

  /// Waits for the controller; `reason` says why it is not there, where that is known.
  func beginSearch(_ reason: String?) {
    let timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.lookSoon() } }
    search = AbsentController(timer: timer, reason: reason ?? "")
    if let reason { tell(.controllerMissing(reason)) }
    // Without udev the timer is enough.
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

  /// Looks whether the controller is there by now, and begins with it.
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

  /// Opens an address; what may have to be waited for, a connection, is not waited for on the loop.
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

  /// Where the controller is now: the port that it was on may have another path.
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

  // MARK: - What was opened

  /// Begins with what opening an address gave.
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

  /// Waits for the controller to connect. Anybody may; the first who speaks H4 is taken.
  private func awaitController(at socket: ListeningSocket) {
    tell(.awaitingController("port \(socket.port)"))
    let watch = loop.watch(socket.descriptor, .readable) { [weak self] _ in
      self?.assumeIsolated { $0.acceptController(from: socket) }
    }
    transport = .awaiting(watch)
  }

  private func acceptController(from socket: ListeningSocket) {
    // Who has said nothing does not keep the next one out.
    guard case .awaiting(let watch) = transport else { return refuseLine(.silent) }
    guard let line = try? socket.accept() else { return }
    entrance = ControllerEntrance(socket: socket, watch: watch)
    carry(line, .plain)
  }

  /// Whether what the line says is a controller's, or may be the beginning of it. When it is not, the line is closed and the
  /// controller goes on being waited for.
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

  /// Whether a line that has ended was not yet known to be a controller's. Then the controller goes on being waited for.
  func endedUnproven() -> Bool {
    guard entrance != nil else { return false }
    refuseLine(.silent)
    return true
  }

  private func refuseLine(_ reason: LineRefusal.Reason) {
    guard let socket = entrance?.socket else { return }
    closeEntrance()
    lineRefused()
    tell(.lineRefused(LineRefusal(place: socket.peerAddress.description, reason: reason)))
    awaitController(at: socket)
  }

  /// Listens no longer.
  func closeEntrance() {
    if let entrance { loop.unwatch(entrance.watch) }
    entrance = nil
  }

  private func carry(_ line: Line, _ lineKind: LineKind) {
    let watch = loop.watch(line.descriptor, .readable, isPeer: true) { [weak self] events in
      self?.assumeIsolated { $0.lineReady(events) }
    }
    transport = .line(line, watch)
    lineOpened(lineKind)
  }
}
