import BLECore
import CentralHost
import Transport

/// A central of the ladder behind a line to its controller, in real time.
actor LadderLine {
  private nonisolated let loop: PollLoop
  private nonisolated let address: ControllerAddress
  private var line: Line?
  private var watch: WatchID?
  private var timer: TimerID?
  private var player: LadderCentral?
  private var out = CentralOutput()
  private var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  private var waiting: CheckedContinuation<LadderCentral.Progress, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ address: ControllerAddress, loop: PollLoop) {
    self.address = address
    self.loop = loop
  }

  /// Opens the line.
  func open() throws(TransportError) {
    let line: Line
    switch try address.open() {
    case .line(let opened): line = opened
    case .terminal(let terminal): line = terminal.line
    case .listening:
      throw TransportError(
        kind: .unsupported, what: "cannot use as a central's controller", place: "\(address)",
        why: "the ladder does not wait for controllers that connect")
    }
    self.line = line
    watch = loop.watch(line.descriptor, .readable) { [weak self] events in self?.assumeIsolated { $0.ready(events) } }
    timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
  }

  /// Closes the line.
  func close() {
    if let watch { loop.unwatch(watch) }
    if let timer { loop.removeTimer(timer) }
    (watch, timer) = (nil, nil)
    line?.close()
    line = nil
  }

  /// Plays a step until everything is acknowledged, or it has failed.
  func play(_ central: LadderCentral) async -> LadderCentral.Progress {
    player = central
    return await withCheckedContinuation { continuation in
      waiting = continuation
      let now = loop.now()
      player?.start(at: now, into: &out)
      finishTurn()
    }
  }

  /// Ends the link of the step.
  func disconnect() async {
    guard case .sent = player?.progress else { return }
    _ = await withCheckedContinuation { continuation in
      waiting = continuation
      player?.disconnect(at: loop.now(), into: &out)
      finishTurn()
    }
  }

  // MARK: Turns

  private func ready(_ events: PollEvents) {
    guard let line else { return }
    if events.contains(.writable) {
      check(line.flush())
      if let watch { loop.setInterest(watch, line.interest) }
    }
    inbox.removeAll()
    switch line.read(into: &inbox) {
    case .octets:
      let now = loop.now()
      inbox.withSpan { player?.receive($0, at: now, into: &out) }
      finishTurn()
    case .wouldBlock: break
    case .closed: end("the line to \(address) was closed")
    case .failed(let code): end("\(address): \(TransportError.text(ofErrno: code))")
    }
  }

  private func deadlineReached() {
    player?.reach(loop.now(), into: &out)
    finishTurn()
  }

  private func finishTurn() {
    if let line, !out.octets.isEmpty {
      check(line.write(out.octets))
      if let watch { loop.setInterest(watch, line.interest) }
    }
    out.octets.removeAll()
    if let timer { loop.setTimer(timer, player?.nextDeadline) }
    guard let progress = player?.progress else { return }
    switch progress {
    case .underWay: break
    // The end of the link is waited for behind this.
    case .sent where player?.isLeaving == true: break
    case .sent, .over, .failed: resume(with: progress)
    }
  }

  private func check(_ outcome: WriteOutcome) {
    switch outcome {
    case .sent, .queued: break
    case .overLimit: end("\(address) takes no octets any longer")
    case .closed: end("the line to \(address) was closed")
    case .failed(let code): end("\(address): \(TransportError.text(ofErrno: code))")
    }
  }

  private func end(_ reason: String) {
    if let watch { loop.unwatch(watch) }
    watch = nil
    player = nil
    resume(with: .failed(StepFailure(reason)))
  }

  private func resume(with progress: LadderCentral.Progress) {
    waiting?.resume(returning: progress)
    waiting = nil
  }
}
