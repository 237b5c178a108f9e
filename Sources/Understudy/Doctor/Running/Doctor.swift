import BLECore
import Transport
import VirtualRadio

/// Examines one controller, step by step, with the help of a second one if available.
public actor Doctor {
  let loop: PollLoop
  let address: ControllerAddress
  private let listenerAddress: ControllerAddress?
  private let radio: RadioHub?
  private let tell: @Sendable (StepFinding) -> Void

  private var findings: [StepFinding] = []
  var conditions = ExaminationConditions()
  private var examination: Examination?
  private var listener: AirListener?
  private var patientEnd: DoctorTransport?
  private var listenerEnd: DoctorTransport?
  private var out = OctetBuffer(minimumCapacity: 1024)
  private var listenerOut = OctetBuffer(minimumCapacity: 256)
  private var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  private var listenerInbox = OctetBuffer(minimumCapacity: 4096)
  private var timer: TimerID?
  private var waiting: CheckedContinuation<Void, Never>?
  /// Whether a turn is in progress (`isTurning`), and whether more octets have arrived during it (`hasMore`).
  private var isTurning = false
  private var hasMore = false

  /// The loop, on which the actor runs.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Creates a doctor for the controller at `address`. `virtual` needs a radio on the same loop, on which a
  /// second controller then scans too. `tell` is called on the loop with each finding.
  public init(
    _ address: ControllerAddress, listener: ControllerAddress? = nil, radio: RadioHub? = nil, loop: PollLoop,
    seed: UInt64 = 0, tell: @escaping @Sendable (StepFinding) -> Void = { _ in }
  ) {
    (self.address, listenerAddress, self.radio, self.loop, self.tell) = (address, listener, radio, loop, tell)
    conditions.seed = seed
  }

  /// Examines the controller. Call it only once.
  public func examine() async -> ExaminationReport { await examine(.everything) }

  /// Returns the speed of the line to a controller, in bit/s, with a start and a stop bit for each octet. It is measured by
  /// comparing long commands with short ones. `Int.max` means that the speed is too high to measure, nil that it is unknown.
  ///
  /// For a serial port, this is the configured speed, unless the measured speed differs by more than a factor of
  /// two: a board with USB of its own ignores the setting, as does a pseudo-terminal, and an adapter may be slow.
  package static func lineRate(of address: ControllerAddress, loop: PollLoop) async -> Int? {
    switch address {
    // These can be opened only once, which is left to the actual user.
    case .virtual, .tcpServer, .pty: return nil
    case .auto, .serial, .tcpClient, .unix, .hci: break
    }
    let doctor = Doctor(address, loop: loop)
    let throughput = await doctor.examine(.lineRate)[.throughput]?.observation
    let nominal = await doctor.conditions.baud.map { Int($0) }
    switch throughput {
    case .rate(let octets, _):
      guard let nominal, octets * 10 > nominal / 2, octets * 10 < nominal * 2 else { return octets * 10 }
      return nominal
    case .rateBeyondClock: return .max
    default: return nominal
    }
  }

  private func examine(_ scope: ExaminationConditions.Scope) async -> ExaminationReport {
    conditions.scope = scope
    timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
    defer { if let timer { loop.removeTimer(timer) } }
    guard let end = await openPatient() else { return ExaminationReport(findings) }
    patientEnd = end
    await openListener()
    let now = loop.now()
    examination = Examination(conditions)
    examination?.start(at: now, into: &out)
    await turns()
    end.close()
    listenerEnd?.close()
    return ExaminationReport(findings)
  }

  /// Records and reports a finding.
  func note(_ step: ExaminationStep, _ observation: Observation) {
    let finding = StepFinding(step, observation)
    findings.append(finding)
    tell(finding)
  }

  // MARK: - Opening

  private func openPatient() async -> DoctorTransport? {
    if case .virtual = address { return seat("the virtual radio", configuration: nil, .port) { $0.patientReady($1) } }
    guard let line = await openedLine() else { return nil }
    return DoctorTransport(line, on: loop) { [weak self] events in self?.assumeIsolated { $0.patientReady(events) } }
  }

  private func openListener() async {
    if radio != nil, listenerAddress == nil {
      listenerEnd = seat("the virtual radio", configuration: .full, .listener) { $0.listenerReady($1) }
    } else if let listenerAddress {
      do throws(TransportError) {
        guard case .line(let line) = try listenerAddress.open() else {
          throw TransportError(
            kind: .unsupported, what: "cannot use as a second controller", place: "\(listenerAddress)",
            why: "it cannot be waited for", advice: "give the address of an existing one")
        }
        listenerEnd = DoctorTransport(line, on: loop) { [weak self] events in
          self?.assumeIsolated { $0.listenerReady(events) }
        }
      } catch {
        note(.listener, .unreachable(error))
      }
    } else {
      note(.listener, .skipped(.noListener))
    }
    guard listenerEnd != nil else { return }
    listener = AirListener()
    listener?.start(at: loop.now(), into: &listenerOut)
    await turns()
    switch listener?.outcome {
    case .listening(let extended):
      conditions.listening = extended ? .extended : .legacy
      note(.listener, .listening(extended: extended))
    case .refused(let opcode, let status): note(.listener, .refused(opcode, status))
    default: note(.listener, .silent)
    }
  }

  private func seat(
    _ place: String, configuration: ControllerConfiguration?, _ step: ExaminationStep,
    ready: @escaping @Sendable (isolated Doctor, PollEvents) -> Void
  ) -> DoctorTransport? {
    guard let radio else {
      note(step, .unreachable(TransportError(kind: .notFound, what: "cannot use", place: place, why: "there is none")))
      return nil
    }
    let handler: @Sendable () -> Void = { [weak self] in self?.assumeIsolated { ready($0, []) } }
    do throws(TransportError) {
      let seat = try radio.assumeIsolated { radio in
        Result { () throws(TransportError) in
          try radio.attach(configuration: configuration, hasOutput: handler)
        }
      }.get()
      if step == .port {
        note(.port, .reached(place))
        noteNoSerialPort()
      }
      return DoctorTransport(radio, seat: seat, on: loop)
    } catch {
      note(step, .unreachable(error))
      return nil
    }
  }

  /// Waits until a connection arrives at a socket, for at most `limit`.
  func visit(to socket: ListeningSocket, within limit: Duration) async {
    let watch = loop.watch(socket.descriptor, .readable) { [weak self] _ in self?.assumeIsolated { $0.resume() } }
    if let timer { loop.setTimer(timer, loop.now() + limit) }
    await withCheckedContinuation { waiting = $0 }
    loop.unwatch(watch)
  }

  private func resume() {
    guard let waiting else { return }
    self.waiting = nil
    waiting.resume()
  }

  // MARK: - Turns

  /// Runs until the current part is done.
  private func turns() async {
    await withCheckedContinuation { continuation in
      waiting = continuation
      finishTurn()
    }
  }

  /// Whether the current part is done: the examination, or the initialization of the second controller before it.
  private var isDone: Bool { examination?.isOver ?? (listener?.outcome != nil) }

  private func patientReady(_ events: PollEvents) {
    guard examination?.isReading != false else { return }
    guard !isTurning else {
      hasMore = true
      return
    }
    if patientEnd?.read(events, into: &inbox) == .closed { examination?.lineClosed() }
    finishTurn()
  }

  private func listenerReady(_ events: PollEvents) {
    guard !isTurning else {
      hasMore = true
      return
    }
    if listenerEnd?.read(events, into: &listenerInbox) == .closed { loseListener() }
    finishTurn()
  }

  private func loseListener() {
    listenerEnd?.close()
    listenerEnd = nil
    listener?.advance(to: Instant(nanoseconds: .max))
  }

  private func deadlineReached() {
    guard listener != nil || examination != nil else { return resume() }
    let now = loop.now()
    examination?.advance(to: now, into: &out)
    listener?.advance(to: now)
    // Handle what arrived while the line was not read.
    patientReady([])
    finishTurn()
  }

  /// Sends and receives until nothing is left to do now, then reports and waits. On the virtual radio, one
  /// controller's octets can immediately cause octets of the other; these are fetched in the same turn.
  private func finishTurn() {
    isTurning = true
    repeat {
      takeInbox()
      takeListenerInbox()
      sendPending()
      if hasMore {
        hasMore = false
        if examination?.isReading != false { _ = patientEnd?.read([], into: &inbox) }
        _ = listenerEnd?.read([], into: &listenerInbox)
      }
    } while !out.isEmpty || !listenerOut.isEmpty || !listenerInbox.isEmpty
      || (!inbox.isEmpty && examination?.isReading != false)
    isTurning = false
    report()
    guard !isDone else { return resume() }
    patientEnd?.setReading(examination?.isReading != false)
    if let timer { loop.setTimer(timer, Instant.earliest(examination?.nextDeadline, listener?.nextDeadline)) }
  }

  private func sendPending() {
    if !out.isEmpty {
      if patientEnd?.send(out, into: &inbox) != .open { examination?.lineClosed() }
      out.removeAll()
    }
    if !listenerOut.isEmpty {
      if listenerEnd?.send(listenerOut, into: &listenerInbox) != .open { loseListener() }
      listenerOut.removeAll()
    }
  }

  private func takeInbox() {
    guard !inbox.isEmpty, examination?.isReading != false else { return }
    let octets = inbox.copy()
    inbox.removeAll()
    examination?.receive(octets.span, at: loop.now(), into: &out)
  }

  private func takeListenerInbox() {
    guard !listenerInbox.isEmpty else { return }
    let now = loop.now()
    let octets = listenerInbox.copy()
    listenerInbox.removeAll()
    for address in listener?.receive(octets.span, at: now, into: &listenerOut) ?? [] {
      examination?.heard(address, at: now, into: &out)
    }
  }

  /// Reports the examination's new findings.
  private func report() {
    guard let found = examination?.findings else { return }
    for finding in found where !findings.contains(where: { $0.step == finding.step }) {
      note(finding.step, finding.observation)
    }
  }
}
