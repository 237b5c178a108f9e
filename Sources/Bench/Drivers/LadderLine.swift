import BLECore
import BLELink
import CentralHost
import Transport

/// A central of the ladder with a line to its controller, in real time.
actor LadderLine {
  private nonisolated let loop: PollLoop
  private var line: ControllerLine
  private var player: LadderCentral?
  private var out = HostOutput()
  private var waiting: CheckedContinuation<LadderCentral.Progress, Never>?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  init(_ address: ControllerAddress, loop: PollLoop) {
    self.loop = loop
    line = ControllerLine(address, loop: loop)
  }

  /// Opens the line.
  func open() throws(TransportError) {
    try line.open(
      ready: { [weak self] events in self?.assumeIsolated { $0.ready(events) } },
      deadlineReached: { [weak self] in self?.assumeIsolated { $0.deadlineReached() } })
  }

  /// Closes the line.
  func close() { line.close() }

  /// Performs a step until everything is acknowledged or the step has failed.
  func play(_ central: LadderCentral) async -> LadderCentral.Progress {
    player = central
    return await withCheckedContinuation { continuation in
      waiting = continuation
      let now = loop.now()
      player?.start(at: now, into: &out)
      finishInput()
    }
  }

  /// Ends the step's link.
  func disconnect() async {
    guard case .sent = player?.progress else { return }
    _ = await withCheckedContinuation { continuation in
      waiting = continuation
      player?.disconnect(at: loop.now(), into: &out)
      finishInput()
    }
  }

  // MARK: Input

  private func ready(_ events: PollEvents) {
    if line.read(events) { line.inbox.withSpan { player?.receive($0, at: loop.now(), into: &out) } }
    finishInput()
  }

  private func deadlineReached() {
    player?.advance(to: loop.now(), into: &out)
    finishInput()
  }

  private func finishInput() {
    line.finishInput(&out.octets, nextDeadline: player?.nextDeadline)
    if let failure = line.failure {
      player = nil
      return resume(with: .failed(StepFailure(failure)))
    }
    guard let progress = player?.progress else { return }
    switch progress {
    case .underWay: break
    // The end of the link is still to come.
    case .sent where player?.isLeaving == true: break
    case .sent, .over, .failed: resume(with: progress)
    }
  }

  private func resume(with progress: LadderCentral.Progress) {
    waiting?.resume(returning: progress)
    waiting = nil
  }
}
