import BLECore
import Transport

/// What was found on a serial port.
public struct PortFinding: Sendable {
  /// The port.
  public var port: SerialPort
  /// What answered.
  public var answer: Answer

  /// The result of probing a serial port.
  public enum Answer: Sendable {
    /// A controller answered with these settings.
    case controller(ControllerIdentity, SerialSettings)
    /// This many octets were received that are not HCI.
    case garbled(octets: Int)
    /// Nothing was received.
    case silent
    /// The port could not be opened.
    case unavailable(TransportError)
  }
}

/// Opens a serial port and checks for a controller, at one speed after another. The probe runs on a loop, and closes the port at the end.
public actor PortProbe {
  /// The speeds in the order in which they are tried: that of Zephyr's samples, that of boards whose UART has
  /// no flow control, and one in between.
  public static let speeds: [(baud: UInt32, flowControl: Bool)] = [
    (1_000_000, true), (115_200, false), (460_800, true),
  ]

  private let port: SerialPort
  private let loop: PollLoop
  private var conversation: Conversation?
  private var inbox = OctetBuffer(minimumCapacity: 1024)
  private var out = OctetBuffer(minimumCapacity: 64)

  /// The loop, on which the actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A probe in progress.
  private struct Conversation {
    var line: Line
    var inquiry = HCIProbe()
    var watch: WatchID
    var timer: TimerID
    var continuation: CheckedContinuation<HCIProbe.Outcome, Never>
  }

  /// Creates a probe for that port.
  public init(_ port: SerialPort, loop: PollLoop) {
    self.port = port
    self.loop = loop
  }

  /// Probes all these ports at the same time, and returns the findings in the order of the ports.
  public static func run(_ ports: [SerialPort], loop: PollLoop) async -> [PortFinding] {
    await withTaskGroup(of: PortFinding.self) { group in
      for port in ports { group.addTask { await PortProbe(port, loop: loop).run() } }
      var findings: [SerialPort: PortFinding] = [:]
      for await finding in group { findings[finding.port] = finding }
      return ports.compactMap { findings[$0] }
    }
  }

  /// Probes the port. Call it only once.
  public func run() async -> PortFinding {
    var octets = 0
    var hasListened = false
    var obstacle: TransportError?
    for speed in Self.speeds {
      let settings = SerialSettings(path: port.path, baud: speed.baud, flowControl: speed.flowControl)
      do throws(TransportError) {
        switch try await inquire(settings) {
        case .answered(let identity): return PortFinding(port: port, answer: .controller(identity, settings))
        case .garbled(let count): octets = max(octets, count)
        case .silent: break
        }
        hasListened = true
      } catch {
        // A driver that does not support one speed may support another.
        obstacle = error
        guard error.kind == .unsupported else { break }
      }
    }
    if octets > 0 { return PortFinding(port: port, answer: .garbled(octets: octets)) }
    // A port that could be opened exists, even if it does not support every speed.
    if hasListened, obstacle?.kind == .unsupported { obstacle = nil }
    return PortFinding(port: port, answer: obstacle.map { .unavailable($0) } ?? .silent)
  }

  /// Opens the port with those settings, and probes it.
  func inquire(_ settings: SerialSettings) async throws(TransportError) -> HCIProbe.Outcome {
    await converse(over: try Line.openSerial(settings))
  }

  private func converse(over line: Line) async -> HCIProbe.Outcome {
    await withCheckedContinuation { continuation in
      let watch = loop.watch(line.descriptor, .readable, isPeer: true) { [weak self] _ in
        self?.assumeIsolated { $0.ready() }
      }
      let timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.advance() } }
      conversation = Conversation(line: line, watch: watch, timer: timer, continuation: continuation)
      conversation?.inquiry.start(at: loop.now(), into: &out)
      goOn()
    }
  }

  private func ready() {
    guard let line = conversation?.line else { return }
    inbox.removeAll()
    switch line.read(into: &inbox) {
    case .octets: inbox.withSpan { conversation?.inquiry.receive($0, at: loop.now(), into: &out) }
    case .wouldBlock: break
    case .closed, .failed: return end(.silent)
    }
    goOn()
  }

  private func advance() {
    conversation?.inquiry.advance(to: loop.now(), into: &out)
    goOn()
  }

  /// Sends what is pending and sets the timer, unless the result is known.
  private func goOn() {
    guard let conversation else { return }
    if let outcome = conversation.inquiry.outcome { return end(outcome) }
    if !out.isEmpty { _ = conversation.line.write(out) }
    out.removeAll()
    loop.setTimer(conversation.timer, conversation.inquiry.nextDeadline)
  }

  private func end(_ outcome: HCIProbe.Outcome) {
    guard let ended = conversation else { return }
    conversation = nil
    out.removeAll()
    loop.unwatch(ended.watch)
    loop.removeTimer(ended.timer)
    ended.line.close()
    ended.continuation.resume(returning: outcome)
  }
}
