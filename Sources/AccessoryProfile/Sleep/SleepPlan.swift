import BLECore

/// When an accessory is off the air to save its battery. Asleep it advertises nothing and has no connections.
public struct SleepPlan: Hashable, Sendable {
  /// Whether it begins so.
  public var startsAsleep = false
  /// After how long without a connection it falls asleep; nil when only rules and people let it.
  public var delay: Duration?
  /// How often it wakes up by itself; nil when only rules and people wake it.
  public var wakeInterval: Duration?
}

/// Whether it is asleep, and when that changes by itself.
struct Sleep: Hashable, Sendable {
  let plan: SleepPlan
  var isAsleep: Bool
  /// When it falls asleep, and when it wakes up.
  var sleepDue: Instant?
  var wakeDue: Instant?

  init(_ plan: SleepPlan, at start: Instant) {
    self.plan = plan
    isAsleep = plan.startsAsleep
    if !isAsleep { sleepDue = plan.delay.map { start + $0 } }
    wakeDue = plan.wakeInterval.map { start + $0 }
  }

  /// When something is due.
  var nextDeadline: Instant? { .earliest(sleepDue, wakeDue) }
}
