import BLECore

/// The times at which an accessory sleeps to save its battery. While it sleeps, it does not advertise and has no connections.
public struct SleepPlan: Hashable, Sendable {
  /// Whether the accessory is asleep at the start.
  public var startsAsleep = false
  /// The time without a connection after which it falls asleep; nil if only rules and requests make it sleep.
  public var delay: Duration?
  /// The interval at which it wakes up by itself; nil if only rules and requests wake it.
  public var wakeInterval: Duration?
}

/// The sleep state, and the times of its next changes.
struct Sleep: Hashable, Sendable {
  let plan: SleepPlan
  var isAsleep: Bool
  /// The times at which the accessory falls asleep and wakes up.
  var sleepDue: Instant?
  var wakeDue: Instant?

  init(_ plan: SleepPlan, at start: Instant) {
    self.plan = plan
    isAsleep = plan.startsAsleep
    if !isAsleep { sleepDue = plan.delay.map { start + $0 } }
    wakeDue = plan.wakeInterval.map { start + $0 }
  }

  /// The time of the next change.
  var nextDeadline: Instant? { .earliest(sleepDue, wakeDue) }
}
