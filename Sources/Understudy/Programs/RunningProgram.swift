import AccessoryProfile
import BLECore
import Transport

/// A program of the profile: the process that it is now, or the time until it is one again. It belongs to the accessory.
final class RunningProgram {
  let definition: ProgramDefinition
  private(set) var process: ChildProcess?
  /// What the loop watches of the process, and what for.
  var watches: [Source: WatchID] = [:]
  /// What it says, in lines.
  var lines: [Source: TextLines] = [:]
  var timer: TimerID?
  /// How many events it was too slow for, since it was told so.
  var lostEvents = 0
  private var began = Instant.zero
  private var wait = RunningProgram.shortestWait

  /// Where something comes from.
  enum Source: Hashable { case output, errors, end }

  /// How long the first restart waits; each that follows soon waits twice as long.
  private static let shortestWait = Duration.seconds(1)
  /// The longest wait; and who runs for so long begins with the shortest again.
  private static let longestWait = Duration.seconds(60)

  init(_ definition: ProgramDefinition) { self.definition = definition }

  func begin(_ process: ChildProcess, at now: Instant) {
    self.process = process
    began = now
    lines = [:]
    lostEvents = 0
  }

  /// It has ended, or could not begin.
  func end() { process = nil }

  /// How long it waits until it is run again.
  func takeWait(at now: Instant, hasRun: Bool) -> Duration {
    if hasRun, now - began >= Self.longestWait { wait = Self.shortestWait }
    defer { wait = min(wait * 2, Self.longestWait) }
    return wait
  }
}
