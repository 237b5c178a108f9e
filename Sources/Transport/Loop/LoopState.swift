import BLECore

/// What threads share about a poll loop, behind its mutex.
struct LoopState {
  enum Phase {
    /// Not yet run: jobs wait.
    case idle
    case running
    /// Run and over.
    case ended
    /// Over, but a thread runs jobs that came after the end.
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
    /// The round of firing in which it last fired: a timer set to the past again in its own handler waits for the next.
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
  /// Whether the change under way is one that a waiting loop must hear of.
  var wakeWanted = false
  /// Whether the wake descriptor has been written since the loop last looked. It looks when attention is demanded, so
  /// nothing but that may write it.
  var wakePending = false
  /// A few; searched from the front.
  var watches: [Watch] = []
  var watchesChanged = true
  /// A few; searched from the front.
  var timers: [Timer] = []
  private var lastID: UInt64 = 0

  mutating func makeID() -> UInt64 {
    lastID += 1
    return lastID
  }

  /// Whether nothing will ever be watched again.
  var isOver: Bool { stopRequested }

  var earliestDeadline: Instant? {
    var earliest: Instant?
    for timer in timers { earliest = Instant.earliest(earliest, timer.deadline) }
    return earliest
  }

  /// Takes the handler of the timer with the earliest deadline that has passed, and clears that deadline.
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
