import BLECore
import BLELink
import CentralHost
import Transport

/// A central of the ladder behind a line to its controller, in real time.
actor LadderLine {
  private nonisolated let loop: PollLoop
  private var line: ControllerLine
  private var player: LadderCentral?
  private var out = HostOutput()
  private var waiting: CheckedContinuation<LadderCentral.Progress, Never>?
  private var probe: LineProbe?
  private var probing: CheckedContinuation<Int?, Never>?

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

  /// How many bits the line carries in a second; nil where that is too many to be measured.
  func measureRate() async -> Int? {
    await withCheckedContinuation { continuation in
      probing = continuation
      var probe = LineProbe()
      probe.start(at: loop.now(), into: &out.octets)
      self.probe = probe
      finishInput()
    }
  }

  /// Closes the line.
  func close() { line.close() }

  /// Plays a step until everything is acknowledged, or it has failed.
  func play(_ central: LadderCentral) async -> LadderCentral.Progress {
    player = central
    return await withCheckedContinuation { continuation in
      waiting = continuation
      let now = loop.now()
      player?.start(at: now, into: &out)
      finishInput()
    }
  }

  /// Ends the link of the step.
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
    if line.read(events) {
      let now = loop.now()
      line.inbox.withSpan { octets in
        probe?.receive(octets, at: now, into: &out.octets)
        player?.receive(octets, at: now, into: &out)
      }
    }
    finishInput()
  }

  private func deadlineReached() {
    probe?.advance(to: loop.now())
    player?.advance(to: loop.now(), into: &out)
    finishInput()
  }

  private func finishInput() {
    line.finishInput(&out.octets, nextDeadline: Instant.earliest(player?.nextDeadline, probe?.nextDeadline))
    if let probing, probe?.isDone != false || line.failure != nil {
      probing.resume(returning: probe?.bitsPerSecond)
      (self.probe, self.probing) = (nil, nil)
    }
    if let failure = line.failure {
      player = nil
      return resume(with: .failed(StepFailure(failure)))
    }
    guard let progress = player?.progress else { return }
    switch progress {
    case .underWay: break
    // The end of the link is waited for behind this.
    case .sent where player?.isLeaving == true: break
    case .sent, .over, .failed: resume(with: progress)
    }
  }

  private func resume(with progress: LadderCentral.Progress) {
    waiting?.resume(returning: progress)
    waiting = nil
  }
}
