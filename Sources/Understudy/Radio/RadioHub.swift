import BLECore
import Transport
import VirtualRadio

/// The virtual radio at work: an air in real time, with a controller for the accessory of this process and one for each host
/// that connects to one of its ports.
///
/// It runs on a loop together with the accessory, so that packets between the two are handed over by call.
public actor RadioHub {
  private nonisolated let loop: PollLoop
  private let air: Air
  private let configuration: ControllerConfiguration
  private var timer: TimerID?
  private var armedDeadline: Instant?
  /// The ports where hosts can join; each watch holds its socket.
  private var ports: [WatchID] = []
  private var remotes: [ControllerID: Remote] = [:]
  private var locals: [ControllerID: @Sendable () -> Void] = [:]
  private var isExchanging = false
  private var scratch = OctetBuffer(minimumCapacity: 4096)

  /// Where a host sits on the air.
  public typealias Seat = ControllerID

  /// A host at the other end of a line.
  private struct Remote {
    let line: Line
    let watch: WatchID
  }

  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// An air on that loop, whose controllers all have that configuration.
  public init(loop: PollLoop, configuration: ControllerConfiguration = .full, seed: UInt64 = 0) {
    self.loop = loop
    self.configuration = configuration
    air = Air(configuration: AirConfiguration(seed: seed))
  }

  /// Opens a TCP port where hosts can join, each with a controller of its own; 0 takes any free port. Returns the port.
  public func openPort(host: String = ControllerAddress.loopback, port: UInt16 = 0) throws(TransportError) -> UInt16 {
    let listener = try ListeningSocket.tcp(host: host, port: port)
    ports.append(
      loop.watch(listener.descriptor, .readable) { [weak self] _ in
        self?.assumeIsolated { $0.admit(from: listener) }
      })
    return listener.port
  }

  /// The number of hosts that have joined through ports.
  public var remoteCount: Int { remotes.count }

  // MARK: - The accessory of this process

  /// Gives the accessory of this process a controller. `hasOutput` is called on the loop when the controller has octets for it
  /// that no call of the accessory's own has made.
  func attach(hasOutput: @escaping @Sendable () -> Void) -> Seat {
    let id = air.addController(configuration: configuration)
    locals[id] = hasOutput
    return id
  }

  /// Takes octets of the accessory, and returns what its controller answers at once.
  func exchange(_ octets: [UInt8], from seat: Seat, at now: Instant) -> [UInt8] {
    air.receive(octets.span, from: seat, at: now)
    isExchanging = true
    flush()
    isExchanging = false
    return collect(seat)
  }

  /// What the accessory's controller has for it.
  func collect(_ seat: Seat) -> [UInt8] {
    scratch.removeAll()
    air.drain(seat, into: &scratch)
    return scratch.copy()
  }

  // MARK: - Hosts behind ports

  private func admit(from listener: ListeningSocket) {
    while let line = try? listener.accept() {
      let id = air.addController(configuration: configuration)
      let watch = loop.watch(line.descriptor, .readable) { [weak self] events in
        self?.assumeIsolated { $0.ready(id, events) }
      }
      remotes[id] = Remote(line: line, watch: watch)
    }
    flush()
  }

  private func ready(_ id: ControllerID, _ events: PollEvents) {
    guard let remote = remotes[id] else { return }
    if events.contains(.writable), !isHealthy(remote.line.flush()) { return dismiss(id) }
    loop.setInterest(remote.watch, remote.line.interest)
    scratch.removeAll()
    switch remote.line.read(into: &scratch) {
    case .octets: scratch.withSpan { air.receive($0, from: id, at: loop.now()) }
    case .wouldBlock: break
    case .closed, .failed: dismiss(id)
    }
    flush()
  }

  private func dismiss(_ id: ControllerID) {
    guard let remote = remotes.removeValue(forKey: id) else { return }
    loop.unwatch(remote.watch)
    remote.line.close()
    air.removeController(id)
  }

  private func isHealthy(_ outcome: WriteOutcome) -> Bool {
    switch outcome {
    case .sent, .queued: true
    case .overLimit, .closed, .failed: false
    }
  }

  /// Hands every controller's octets to its host, and waits for what the air does next.
  private func flush() {
    for id in air.controllersWithOutput {
      if let hasOutput = locals[id] {
        // The accessory takes it with the answer: it must not be called back in the middle of its own turn.
        if !isExchanging { hasOutput() }
      } else if let remote = remotes[id] {
        scratch.removeAll()
        air.drain(id, into: &scratch)
        if isHealthy(remote.line.write(scratch)) {
          loop.setInterest(remote.watch, remote.line.interest)
        } else {
          dismiss(id)
        }
      }
    }
    arm()
  }

  private func arm() {
    guard air.nextDeadline != armedDeadline else { return }
    armedDeadline = air.nextDeadline
    let timer =
      self.timer
      ?? loop.addTimer { [weak self] in self?.assumeIsolated { $0.tick() } }
    self.timer = timer
    loop.setTimer(timer, armedDeadline)
  }

  private func tick() {
    armedDeadline = nil
    air.advance(to: loop.now())
    flush()
  }

  /// Closes all ports and lines. What the hosts behind them have not been told yet, such as the end of a connection, they are
  /// told before.
  public func close() {
    for (id, remote) in remotes {
      scratch.removeAll()
      air.drain(id, into: &scratch)
      _ = remote.line.write(scratch)
      loop.unwatch(remote.watch)
      remote.line.close()
    }
    remotes = [:]
    for port in ports { loop.unwatch(port) }
    ports = []
    if let timer { loop.removeTimer(timer) }
  }
}
