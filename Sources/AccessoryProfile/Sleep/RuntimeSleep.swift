import BLECore
import BLEGATT

/// Falling asleep and waking up.
extension ProfileRuntime {
  /// Whether the accessory is asleep.
  package var isAsleep: Bool { sleep.isAsleep }

  /// Makes the accessory fall asleep, or wakes it. Returns the actions for the host.
  package mutating func setAsleep(_ isAsleep: Bool, at now: Instant) -> [ApplicationAction] {
    var actions: [ApplicationAction] = []
    setAsleep(isAsleep, at: now, &actions)
    updateDeadline()
    return actions
  }

  mutating func setAsleep(_ isAsleep: Bool, at now: Instant, _ actions: inout [ApplicationAction], depth: Int = 0) {
    // Waking an accessory that is awake restarts the delay until it falls asleep.
    if !isAsleep { awaitSleep(at: now) }
    guard isAsleep != sleep.isAsleep else { return }
    guard depth < Self.longestChain else {
      return book.report(
        .failed(place: "sleep", reason: "it fell asleep and woke up more than \(depth) times at one instant"))
    }
    sleep.isAsleep = isAsleep
    if isAsleep { sleep.sleepDue = nil }
    book.report(isAsleep ? .asleep : .awake)
    actions.append(isAsleep ? .sleep : .wake)
    happened(isAsleep ? .asleep : .awake, RuleContext(), at: now, &actions, depth: depth + 1)
    attend(at: now)
  }

  /// Restarts the delay until the accessory falls asleep, after a client has connected or disconnected. It runs while no client is
  /// connected.
  mutating func awaitSleep(at now: Instant) {
    sleep.sleepDue = book.clients.isEmpty ? sleep.plan.delay.map { now + $0 } : nil
    sleep.nextDeadline.map { hasEarlierDeadline($0) }
  }

  /// Performs what is due.
  mutating func advanceSleep(_ now: Instant, _ actions: inout [ApplicationAction]) {
    if let due = sleep.sleepDue, due <= now { setAsleep(true, at: now, &actions) }
    guard let due = sleep.wakeDue, due <= now, let interval = sleep.plan.wakeInterval else { return }
    sleep.wakeDue = due + interval > now ? due + interval : now + interval
    if sleep.isAsleep { setAsleep(false, at: now, &actions) }
  }
}
