import BLECore
import Bench
import BLEHCI
import BLELink
import CentralHost
import Transport

/// A central of the soak on a line to its controller, in real time.
actor SoakLine {
  private nonisolated let loop: PollLoop
  private nonisolated let perform: @Sendable (SoakTask) -> Void
  private var player: SoakCentral
  private var line: ControllerLine
  private var out = HostOutput()

  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Makes a central that calls `perform` on the loop with what the driver is to do.
  init(
    _ player: SoakCentral, at address: ControllerAddress, loop: PollLoop,
    perform: @escaping @Sendable (SoakTask) -> Void
  ) {
    self.player = player
    self.loop = loop
    line = ControllerLine(address, loop: loop)
    self.perform = perform
  }

  /// Opens the line and begins.
  func start() throws(TransportError) {
    try line.open(
      ready: { [weak self] events in self?.assumeIsolated { $0.ready(events) } },
      deadlineReached: { [weak self] in self?.assumeIsolated { $0.deadlineReached() } })
    player.start(at: loop.now(), into: &out)
    finishTurn()
  }

  /// Closes the line.
  func close() { line.close() }

  /// Why the line can no longer be used; nil while it works.
  var failure: String? { line.failure }

  // MARK: The central

  /// What the central has seen so far.
  var ledger: SoakLedger { player.ledger }

  /// Whether nothing is under way.
  var isResting: Bool { player.isResting || failure != nil }

  /// Whether nothing is under way, and nothing will be.
  var isOver: Bool { player.isOver || failure != nil }

  /// Whether the central still waits for its session to end, so that a task for it still makes sense.
  var isLeaving: Bool { player.isLeaving }

  /// What its host holds.
  var load: HostLoad { player.stack.load }

  /// Tells the central that the driver has done what it was to do.
  func taskIsDone() {
    player.taskIsDone(at: loop.now(), into: &out)
    finishTurn()
  }

  /// Tells the central that a task for another central has ended its link too.
  func interrupt() {
    player.interrupt(at: loop.now())
    finishTurn()
  }

  /// Tells the central that the machine stood still for that long.
  func standStill(for duration: Duration) {
    player.standStill(for: duration)
    finishTurn()
  }

  /// Tells the central that the accessory no longer holds anything that was written.
  func forgetValues() { player.forgetValues() }

  /// Begins no more sessions, except the first one.
  func finish() { player.finish() }

  // MARK: Turns

  private func ready(_ events: PollEvents) {
    if line.read(events) { line.inbox.withSpan { player.receive($0, at: loop.now(), into: &out) } }
    finishTurn()
  }

  private func deadlineReached() {
    player.advance(to: loop.now(), into: &out)
    finishTurn()
  }

  private func finishTurn() {
    if let task = player.takeTask() { perform(task) }
    line.finishInput(&out.octets, nextDeadline: player.nextDeadline)
  }
}
