import BLECore
import PeripheralHost
import Transport

/// The search of an accessory for a controller that is not there.
struct ControllerSearch {
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

extension Accessory {
  /// Whether a controller that cannot be opened now may be there soon.
  func isWorthWaiting(_ error: TransportError) -> Bool {
    switch error.kind {
    case .notFound: true
    // Nobody answers behind ports that are there, and that does not change by itself.
    case .unreachable, .timedOut: options.controller != .auto
    default: false
    }
  }

  /// The line to the controller is gone: the end, or the beginning of a search.
  func controllerVanished(_ reason: String) {
    guard !hasEnded else { return }
    guard options.waitsForController else {
      return finish(.failed(.vanished(controller: options.controller, reason: reason)))
    }
    closeController()
    emit(.controllerLost(reason))
    stack.loseController(at: loop.now(), into: &out)
    beginSearch(nil)
  }

  /// Waits for the controller; `reason` says why it is not there, where that is known.
  func beginSearch(_ reason: String?) {
    let timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.lookSoon() } }
    search = ControllerSearch(timer: timer, reason: reason ?? "")
    if let reason { emit(.controllerMissing(reason)) }
    // Without udev the timer is enough.
    if let source = try? SerialPortMonitor() {
      let watch = loop.watch(source.descriptor, .readable) { [weak self] _ in
        self?.assumeIsolated { accessory in
          if accessory.search?.monitor?.source.take() == true { accessory.lookSoon() }
        }
      }
      search?.monitor = (source, watch)
    }
    loop.setTimer(timer, loop.now() + ControllerSearch.interval)
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
      emit(.controllerFound(address.description))
      take(opened, at: address)
    } catch {
      guard let said = search?.reason else { return }
      if said != error.description { emit(.controllerMissing(error.description)) }
      search?.reason = error.description
      search?.isLooking = false
      if let timer = search?.timer { loop.setTimer(timer, loop.now() + ControllerSearch.interval) }
    }
  }

  /// Opens an address; what may have to be waited for, a connection, is not waited for on the loop.
  func open(_ address: ControllerAddress) async throws(TransportError) -> OpenedController {
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
    guard let servedPort else { return try await chosenController() }
    var settings = servedSettings
    guard let port = SerialPorts.list().first(where: { $0.isSame(as: servedPort) }) else {
      let number = servedPort.serialNumber.map { " with the serial number \($0)" } ?? ""
      throw TransportError(
        kind: .notFound, what: "cannot open the serial port", place: options.controller.description,
        why: "the board\(number) is not there", advice: "plug it in again")
    }
    settings.path = port.path
    return .serial(settings)
  }
}
