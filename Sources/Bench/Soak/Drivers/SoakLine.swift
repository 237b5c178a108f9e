import BLECore
import BLEHCI
import CentralHost
import Transport

/// A central of the soak behind a line to its controller, in real time.
actor SoakLine {
  private nonisolated let loop: PollLoop
  private nonisolated let address: ControllerAddress
  private nonisolated let perform: @Sendable (SoakDeed) -> Void
  private var player: SoakCentral
  private var line: Line?
  private var watch: WatchID?
  private var timer: TimerID?
  private var out = CentralOutput()
  private var inbox = OctetBuffer(minimumCapacity: Line.readSize)
  /// Why the line is of no use any longer.
  private(set) var failure: String?

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// A central that tells `perform` what the outside is to do, on the loop.
  init(
    _ player: SoakCentral, at address: ControllerAddress, loop: PollLoop,
    perform: @escaping @Sendable (SoakDeed) -> Void
  ) {
    self.player = player
    self.address = address
    self.loop = loop
    self.perform = perform
  }

  /// Opens the line and begins.
  func start() throws(TransportError) {
    let line: Line
    switch try address.open() {
    case .line(let opened): line = opened
    case .terminal(let terminal): line = terminal.line
    case .listening:
      throw TransportError(
        kind: .unsupported, what: "cannot use as a central's controller", place: "\(address)",
        why: "the soak does not wait for controllers that connect")
    }
    self.line = line
    watch = loop.watch(line.descriptor, .readable) { [weak self] events in self?.assumeIsolated { $0.ready(events) } }
    timer = loop.addTimer { [weak self] in self?.assumeIsolated { $0.deadlineReached() } }
    player.start(at: loop.now(), into: &out)
    finishTurn()
  }

  /// Closes the line.
  func close() {
    if let watch { loop.unwatch(watch) }
    if let timer { loop.removeTimer(timer) }
    (watch, timer) = (nil, nil)
    line?.close()
    line = nil
  }

  // MARK: The central

  /// What it has seen so far.
  var ledger: SoakLedger { player.ledger }

  /// Whether nothing is under way.
  var isResting: Bool { player.isResting || failure != nil }

  /// Whether nothing is under way, and nothing will be.
  var isOver: Bool { player.isOver || failure != nil }

  /// What it holds.
  var load: HostLoad { player.stack.load }

  /// The outside has done what it was to do.
  func deedIsDone() {
    player.deedIsDone(at: loop.now(), into: &out)
    finishTurn()
  }

  /// Somebody else has ended its link too.
  func disturb() {
    player.disturb(at: loop.now())
    finishTurn()
  }

  /// The accessory holds nothing any longer that was written.
  func forgetValues() { player.forgetValues() }

  /// Begins no more sessions, but for the first one.
  func finish() { player.finish() }

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
      inbox.withSpan { player.receive($0, at: now, into: &out) }
      finishTurn()
    case .wouldBlock: break
    case .closed: end("the line to \(address) was closed")
    case .failed(let code): end("\(address): \(TransportError.text(ofErrno: code))")
    }
  }

  private func deadlineReached() {
    player.reach(loop.now(), into: &out)
    finishTurn()
  }

  private func finishTurn() {
    if let line, !out.octets.isEmpty {
      check(line.write(out.octets))
      if let watch { loop.setInterest(watch, line.interest) }
    }
    out.octets.removeAll()
    if let deed = player.takeDeed() { perform(deed) }
    if let timer { loop.setTimer(timer, player.nextDeadline) }
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
    failure = reason
    close()
  }
}
