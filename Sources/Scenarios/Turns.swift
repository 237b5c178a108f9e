import BLECore
import Dispatch
import Simulation
import Transport

/// Runs several scripts on one air at the same time, each written as if it were alone.
///
/// Each script has a thread, because it waits in the middle of calls, but only one script acts at any time. A script that waits lets time pass
/// until some script's wait is over. Then it passes the turn to that script, or to the first of several. So the order of actions depends only
/// on virtual time, not on the machine. The threads share this object without a lock, because the semaphores that pass the turn order their
/// actions.
final class Turns: Timekeeper, @unchecked Sendable {
  /// A place at which scripts act one after another.
  private final class Place {
    let turn = DispatchSemaphore(value: 0)
    /// The wait of the script; nil while it acts, and when there are no more scripts.
    var wait: (condition: () -> Bool, end: Instant)?
    /// Whether its last wait ended because its condition held.
    var hasCome = false
  }

  /// The error when this machine cannot create the threads for the scripts.
  struct TooMany: Error, CustomStringConvertible {
    let count: Int

    var description: String {
      "this machine cannot create \(count) threads: run fewer cases at a time, with --jobs"
    }
  }

  private let simulation: RadioSimulation
  private let places: [Place]
  /// The place of the acting script.
  private var current: Place
  /// The scripts that have not started.
  private var rest: Range<Int>
  private let script: (Int) -> Void
  private let allHaveEnded = DispatchSemaphore(value: 0)

  /// Runs scripts on a simulation, `atATime` at a time, until all have ended.
  static func play(
    _ count: Int, atATime: Int, on simulation: RadioSimulation, script: @escaping (Int) -> Void
  ) throws(TooMany) {
    guard count > 0 else { return }
    let turns = Turns(count, places: min(max(1, atATime), count), on: simulation, script)
    simulation.timekeeper = turns
    defer { simulation.timekeeper = nil }
    try turns.play()
  }

  private init(_ count: Int, places: Int, on simulation: RadioSimulation, _ script: @escaping (Int) -> Void) {
    (self.simulation, self.script, rest) = (simulation, script, 0..<count)
    self.places = (0..<places).map { _ in Place() }
    current = self.places[0]
  }

  private func play() throws(TooMany) {
    // All places are ready at the start, and get the turn once.
    for place in places { place.wait = ({ true }, simulation.now) }
    let missing = places.indices.first { index in spawnThread { self.work(at: self.places[index]) } != 0 }
    if let missing {
      for place in places[missing...] { place.wait = nil }
      rest = 0..<0
    }
    if missing != 0 {
      passTurn()
      allHaveEnded.wait()
    }
    if missing != nil { throw TooMany(count: places.count) }
  }

  private func work(at place: Place) {
    place.turn.wait()
    while let number = rest.popFirst() { script(number) }
    if places.contains(where: { $0.wait != nil }) { passTurn() } else { allHaveEnded.signal() }
  }

  func wait(until condition: () -> Bool, before end: Instant) -> Bool {
    let place = current
    withoutActuallyEscaping(condition) { condition in
      place.wait = (condition, end)
      passTurn()
      place.turn.wait()
    }
    return place.hasCome
  }

  /// Lets time pass until a wait is over, and passes the turn to the waiting script.
  private func passTurn() {
    var next = placeWhoseWaitIsOver()
    while next == nil {
      let end = places.compactMap { $0.wait?.end }.min() ?? simulation.now
      if let deadline = simulation.nextDeadline, deadline <= end {
        simulation.step(to: deadline)
        next = placeWhoseWaitIsOver()
      } else {
        simulation.step(to: end)
        next = places.first { $0.wait?.end == end }
        next?.hasCome = false
      }
    }
    guard let next else { return }
    next.wait = nil
    current = next
    next.turn.signal()
  }

  private func placeWhoseWaitIsOver() -> Place? {
    let place = places.first { $0.wait?.condition() == true }
    place?.hasCome = true
    return place
  }
}
