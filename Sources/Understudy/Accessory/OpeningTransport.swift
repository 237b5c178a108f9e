import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLELink
import PeripheralHost
import Transport
import VirtualRadio

extension Accessory: LineOwner {
  nonisolated var controllerAddress: ControllerAddress { options.controller }
  nonisolated var waitsForController: Bool { options.waitsForController }

  func tell(_ kind: AccessoryEvent.Kind) { emit(kind) }

  /// Opens the controller that the options name, and starts as soon as it is present.
  func openController() async throws(AccessoryFailure) {
    if let sharing { return try await join(sharing.hub, sharing.seat) }
    if case .virtual = options.controller { return try joinRadio() }
    try await seekController()
  }

  /// The interval at which the controller's state is checked. A board can be reset by its button, and Zephyr
  /// does not report that; neither does a controller behind a socket whose program restarts.
  static var watchInterval: Duration { .seconds(1) }

  func lineOpened(_ lineKind: LineKind) {
    switch lineKind {
    case .plain, .serial: break
    case .terminal: stack.resetAttempts = .max
    }
    begin()
  }

  func lineRefused() {
    closeController()
    stack.loseController(at: loop.now(), into: &out)
  }

  /// Handles the loss of the controller's line: ends the accessory, or starts searching for the controller.
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

  /// Joins the virtual radio passed to `init`, or creates one with a port at which others can join.
  private func joinRadio() throws(AccessoryFailure) {
    let isOwn = radio == nil
    let radio = self.radio ?? RadioHub(loop: loop, seed: options.seed)
    let port = options.radioPort
    let version = profile.connection.actsAs
    do throws(TransportError) {
      let pass = try radio.assumeIsolated { radio in
        Result { () throws(TransportError) in
          if isOwn { _ = try radio.openPort(port: port) }
          let configuration = version.map { radio.configuration.acting(as: $0) }
          let seat = try radio.attach(configuration: configuration) { [weak self] in
            self?.assumeIsolated { $0.seatReady() }
          }
          let observer = radio.observe(
            RadioObserver { [weak self] event in self?.assumeIsolated { $0.emit(.radio(event)) } })
          return RadioPass(seat: seat, observer: observer, isOwn: isOwn)
        }
      }.get()
      transport = .radio(radio, pass)
    } catch {
      throw .unavailable(error)
    }
    begin()
  }

  /// The virtual radio that the accessory is on, if any.
  public var virtualRadio: RadioHub? { if case .radio(let radio, _) = transport { radio } else { nil } }

  /// Releases the controller.
  func closeController() {
    closeEntrance()
    switch transport {
    case .none: break
    case .awaiting(let socket, let watch): stopListening(socket, watch)
    case .line(let line, let watch):
      loop.unwatch(watch)
      line.close()
    case .radio(let radio, let pass):
      radio.assumeIsolated { radio in
        radio.forget(observer: pass.observer)
        if pass.isOwn { radio.close() } else { radio.detach(pass.seat) }
      }
    case .shared(let hub, let seat): hub.assumeIsolated { $0.leave(seat) }
    }
    transport = .none
  }
}

extension ControllerConfiguration {
  /// Returns this controller as one of an older version, with only that version's features.
  fileprivate func acting(as version: ActedVersion) -> ControllerConfiguration {
    var older = self
    older.version = min(older.version, version.core)
    older.features.formIntersection(version.features)
    return older
  }
}
