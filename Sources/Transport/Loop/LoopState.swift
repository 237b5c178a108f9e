import BLECore

/// The state of a poll loop that threads share, protected by its mutex.
struct LoopState {
  enum Phase {
    /// Not yet run: jobs wait.
    case idle
    case running
    /// Ended after running.
    case ended
    /// Ended, but a thread runs jobs that arrived later.
    case late
  }

  struct Watch {
    var id: WatchID
    var descriptor: CInt
    var interest: PollEvents
    var isPeer: Bool
    var handler: @Sendable (PollEvents) -> Void
  }

  struct Timer {
    var id: TimerID
    var deadline: Instant?
    var handler: @Sendable () -> Void
    /// The round of firing in which it last fired. A timer that its own handler sets to the past fires in the next round.
    var firedInRound: UInt64 = 0
  }

  /// The handlers of a loop that ends.
  struct Abandoned {
    var watches: [Watch] = []
    var timers: [Timer] = []
  }

  var phase = Phase.idle
  var stopRequested = false
  var jobs: [UnownedJob] = []
  /// Whether the current change must wake a waiting loop.
  var wakeWanted = false
  /// Whether the wake descriptor has been written since the loop last checked. The loop checks it only when attention is demanded, so
  /// nothing else may write it.
  var wakePending = false
  /// Only a few, so a linear search is enough.
  var watches: [Watch] = []
  var watchesChanged = true
  /// Only a few, so a linear search is enough.
  var timers: [Timer] = []
  private var lastID: UInt64 = 0

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Whether nothing will be watched again.
  var isOver: Bool { stopRequested }

  var earliestDeadline: Instant? {
    var earliest: Instant?
    for timer in timers { earliest = Instant.earliest(earliest, timer.deadline) }
    return earliest
  }

  /// Returns the handler of the timer with the earliest deadline that has passed, and clears that deadline.
  mutating func takeDueTimer(at now: Instant, round: UInt64) -> (@Sendable () -> Void)? {
    var due: (index: Int, deadline: Instant)?
    for index in timers.indices where timers[index].firedInRound != round {
      guard let deadline = timers[index].deadline, deadline <= now else { continue }
      if let known = due, known.deadline <= deadline { continue }
      due = (index, deadline)
    }
    guard let due else { return nil }
    timers[due.index].deadline = nil
    timers[due.index].firedInRound = round
    return timers[due.index].handler
  }
}
