import BLECore
import BLEGATT

/// Falling asleep and waking up.
extension ProfileRuntime {
  /// Whether it is asleep.
  package var isAsleep: Bool { sleep.isAsleep }

  /// Somebody lets it fall asleep, or wakes it. Returns what the host must do.
  package mutating func setAsleep(_ isAsleep: Bool, at now: Instant) -> [ApplicationAction] {
    var actions: [ApplicationAction] = []
    setAsleep(isAsleep, at: now, &actions)
    updateDeadline()
    return actions
  }

  mutating func setAsleep(_ isAsleep: Bool, at now: Instant, _ actions: inout [ApplicationAction], depth: Int = 0) {
    // Who is woken again stays awake for longer.
    if !isAsleep { awaitSleep(at: now) }
    guard isAsleep != sleep.isAsleep else { return }
    sleep.isAsleep = isAsleep
    if isAsleep { sleep.sleepDue = nil }
    book.report(isAsleep ? .asleep : .awake)
    actions.append(isAsleep ? .sleep : .wake)
    happened(isAsleep ? .asleep : .awake, RuleContext(), at: now, &actions, depth: depth)
    attend(at: now)
  }

  /// A client has come or gone: it falls asleep so long after the last one.
  mutating func awaitSleep(at now: Instant) {
    sleep.sleepDue = book.clients.isEmpty ? sleep.plan.delay.map { now + $0 } : nil
    sleep.nextDeadline.map { hasEarlierDeadline($0) }
  }

  /// Does what is due.
  mutating func advanceSleep(_ now: Instant, _ actions: inout [ApplicationAction]) {
    if let due = sleep.sleepDue, due <= now { setAsleep(true, at: now, &actions) }
    guard let due = sleep.wakeDue, due <= now, let interval = sleep.plan.wakeInterval else { return }
    sleep.wakeDue = due + interval > now ? due + interval : now + interval
    if sleep.isAsleep { setAsleep(false, at: now, &actions) }
  }
}
