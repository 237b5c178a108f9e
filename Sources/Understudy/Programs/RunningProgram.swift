import AccessoryProfile
import BLECore
import Transport

/// A program of the profile: its current process, or the time until it is run again. Owned by the accessory.
final class RunningProgram {
  let definition: ProgramDefinition
  private(set) var process: ChildProcess?
  /// The loop's watches of the process.
  var watches: [Source: WatchID] = [:]
  /// Its output, split into lines.
  var lines: [Source: TextLines] = [:]
  var timer: TimerID?
  /// The number of events lost since it was last told of lost ones, because it was too slow.
  var lostEvents = 0
  private var began = Instant.zero
  private var wait = RunningProgram.shortestWait

  /// The sources that are watched.
  enum Source: Hashable { case output, errors, end }

  /// The delay before the first restart. Each restart that soon follows doubles it.
  private static let shortestWait = Duration.seconds(1)
  /// The longest delay. A program that has run for this long starts again with the shortest delay.
  private static let longestWait = Duration.seconds(60)

  init(_ definition: ProgramDefinition) { self.definition = definition }

  func begin(_ process: ChildProcess, at now: Instant) {
    self.process = process
    began = now
    lines = [:]
    lostEvents = 0
  }

  /// Notes that the program has ended or could not start.
  func end() { process = nil }

  /// Returns the delay before the program is run again.
  func takeWait(at now: Instant, hasRun: Bool) -> Duration {
    if hasRun, now - began >= Self.longestWait { wait = Self.shortestWait }
    defer { wait = min(wait * 2, Self.longestWait) }
    return wait
  }
}
