import BLECore
import PeripheralHost
import Transport

extension Accessory {
  /// Opens the controller that the options name, and begins as soon as it is there.
  func openController() async throws(AccessoryFailure) {
    if case .virtual = options.controller { return try joinRadio() }
    do throws(TransportError) {
      let address = try await chosenController()
      guard !hasEnded else { return }
      let opened = try await open(address)
      guard !hasEnded else { return }
      if case .auto = options.controller { emit(.controllerFound(address.description)) }
      take(opened, at: address)
    } catch {
      guard !hasEnded else { return }
      guard options.waitsForController, isWorthWaiting(error) else { throw .unavailable(error) }
      beginSearch(error.description)
    }
  }

  /// The address to open: what `auto` means, else as it is given.
  func chosenController() async throws(TransportError) -> ControllerAddress {
    guard case .auto = options.controller else { return options.controller }
    return .serial(try await ControllerChoice.automatic(on: loop))
  }

  /// How long a board may be silent before it is asked whether it is still there: somebody may press its reset button, and
  /// Zephyr says nothing then.
  private static var watchInterval: Duration { .seconds(1) }

  /// Begins with what opening an address gave.
  func take(_ opened: OpenedController, at address: ControllerAddress) {
    if case .serial(let settings) = address {
      servedPort = SerialPorts.port(at: settings.path)
      servedSettings = settings
      stack.watchInterval = Self.watchInterval
    }
    switch opened {
    case .line(let line): carry(line)
    case .terminal(let terminal):
      // The controller may be attached to the other side at any time.
      stack.resetAttempts = .max
      emitOpened(terminal.link ?? terminal.devicePath)
      carry(terminal.line)
    case .listening(let socket): awaitController(at: socket)
    }
  }

  private func carry(_ line: Line) {
    let watch = loop.watch(line.descriptor, .readable, isPeer: true) { [weak self] events in
      self?.assumeIsolated { $0.lineReady(events) }
    }
    carrier = .line(line, watch)
    begin()
  }

  /// Waits for the controller to connect; only the first one is taken.
  private func awaitController(at socket: ListeningSocket) {
    emitOpened("port \(socket.port)")
    let watch = loop.watch(socket.descriptor, .readable) { [weak self] _ in
      self?.assumeIsolated { $0.acceptController(from: socket) }
    }
    carrier = .awaiting(watch)
  }

  private func acceptController(from socket: ListeningSocket) {
    guard case .awaiting(let watch) = carrier, let line = try? socket.accept() else { return }
    loop.unwatch(watch)
    carry(line)
  }

  /// Puts the accessory on the virtual radio that it was given, or on one of its own with a port where others can join.
  private func joinRadio() throws(AccessoryFailure) {
    let isOwn = radio == nil
    let radio = self.radio ?? RadioHub(loop: loop, seed: options.seed)
    let port = options.radioPort
    do throws(TransportError) {
      let pass = try radio.assumeIsolated { radio in
        Result { () throws(TransportError) in
          if isOwn { _ = try radio.openPort(port: port) }
          let seat = try radio.attach { [weak self] in self?.assumeIsolated { $0.radioReady() } }
          let observer = radio.observe(
            RadioObserver { [weak self] event in self?.assumeIsolated { $0.emit(.radio(event)) } })
          return RadioPass(seat: seat, observer: observer, isOwn: isOwn)
        }
      }.get()
      carrier = .radio(radio, pass)
    } catch {
      throw .unavailable(error)
    }
    begin()
  }

  /// The virtual radio that it is on, if it is on one.
  public var virtualRadio: RadioHub? { if case .radio(let radio, _) = carrier { radio } else { nil } }

  /// Lets the controller go.
  func closeController() {
    switch carrier {
    case .none: break
    case .awaiting(let watch): loop.unwatch(watch)
    case .line(let line, let watch):
      loop.unwatch(watch)
      line.close()
    case .radio(let radio, let pass):
      radio.assumeIsolated { radio in
        radio.forget(observer: pass.observer)
        if pass.isOwn { radio.close() } else { radio.detach(pass.seat) }
      }
    }
    carrier = .none
  }
}
