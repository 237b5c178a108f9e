import BLECore
import BLEGATT

extension ProfileRuntime {
  /// The longest interval between two checks of a generated value for a change.
  private static let longestLook = Duration.seconds(1)
  /// The shortest interval between two checks.
  private static let shortestLook = Duration.milliseconds(1)

  package mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {
    let index = characteristic.position
    guard states.indices.contains(index) else { return }
    let behavior = behaviors[index]
    states[index].notified = notified
    states[index].indicated = indicated
    if notified == 0 { states[index].sequence.removeAll() }
    states[index].nextNotification = Self.timer(
      states[index].nextNotification, behavior.notify, isWanted: notified > 0, now)
    states[index].nextIndication = Self.timer(
      states[index].nextIndication, behavior.indicate, isWanted: indicated > 0, now)
    let isWatched = (behavior.notify == .onChange && notified > 0) || (behavior.indicate == .onChange && indicated > 0)
    if isWatched, behavior.threshold != nil, states[index].lastSent.isEmpty {
      states[index].lastSent = presentValue(of: characteristic, at: now) ?? []
    }
    if isWatched, let look = nextLook(index, after: now) {
      if states[index].nextLook == nil {
        states[index].lastSent = presentValue(of: characteristic, at: now) ?? []
        states[index].nextLook = look
      }
    } else {
      states[index].nextLook = nil
    }
    updateDeadline()
  }

  /// Returns the next deadline of a timer that continues or begins, or nil if it ends.
  private static func timer(
    _ running: Instant?, _ sending: CharacteristicBehavior.Sending?, isWanted: Bool, _ now: Instant
  ) -> Instant? {
    guard isWanted, case .every(let interval) = sending else { return nil }
    return running ?? now + interval
  }

  /// Returns the time of the next check for a change, or nil if the value does not change by itself. For a recording, it is the time of the
  /// next value.
  private func nextLook(_ index: Int, after now: Instant) -> Instant? {
    if case .replay(let recording) = behaviors[index].source {
      return recording.nextTime(after: now - states[index].origin).map { states[index].origin + $0 }
    }
    return Self.lookInterval(behaviors[index].source).map { now + $0 }
  }

  /// Returns how often a source can change; nil for constants, and for clocks, whose progress is not sent.
  private static func lookInterval(_ source: ValueSource) -> Duration? {
    switch source {
    case .constant, .clock: return nil
    case .number(.random(_, _, let every)), .number(.counter(_, _, _, let every?)), .sequence(_, let every, _):
      return min(every, longestLook)
    case .replay(let recording): return max(min(recording.shortest, longestLook), shortestLook)
    case .number, .intervals, .pattern, .computed: return longestLook
    case .record(let fields): return fields.compactMap { lookInterval($0.source) }.min()
    }
  }

  package mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {
    guard let deadline = nextDeadline, deadline <= now else { return }
    for index in states.indices {
      guard let due = states[index].nextDeadline, due <= now else { continue }
      fire(index, at: now, &actions)
    }
    advanceTimelines(now)
    advanceQuestions(now, actions: &actions)
    advanceRules(now, &actions)
    advanceSleep(now, &actions)
    advanceAdvertising(now, &actions)
    updateDeadline()
  }

  private mutating func fire(_ index: Int, at now: Instant, _ actions: inout [ApplicationAction]) {
    let characteristic = CharacteristicIndex(index)
    if let due = states[index].nextLook, due <= now {
      states[index].nextLook = nextLook(index, after: now)
      if states[index].refresh == .timed { sample(index, at: now) }
      let present = presentValue(of: characteristic, at: now) ?? []
      if present != states[index].lastSent || behaviors[index].source.isCaptured {
        announceChange(index, present, &actions)
      }
    }
    let notifies = states[index].nextNotification.map { $0 <= now } ?? false
    let indicates = states[index].nextIndication.map { $0 <= now } ?? false
    guard notifies || indicates else { return }
    if states[index].refresh == .timed { sample(index, at: now) }
    if notifies {
      actions.append(.notify(characteristic))
      states[index].nextNotification = Self.next(states[index].nextNotification, behaviors[index].notify, now)
    }
    if indicates {
      actions.append(.indicate(characteristic))
      states[index].nextIndication = Self.next(states[index].nextIndication, behaviors[index].indicate, now)
    }
  }

  /// Returns the deadline after one that was reached: one interval after the reached deadline, to keep the average rate, or one interval
  /// from now if that has passed.
  private static func next(
    _ due: Instant?, _ sending: CharacteristicBehavior.Sending?, _ now: Instant
  ) -> Instant? {
    guard let due, case .every(let interval) = sending else { return nil }
    let next = due + interval
    return next > now ? next : now + interval
  }

  /// Sends a new value to subscribers, if the profile sends values on change.
  mutating func announceChange(_ index: Int, _ octets: [UInt8], _ actions: inout [ApplicationAction]) {
    if let threshold = behaviors[index].threshold {
      let format = behaviors[index].format
      guard threshold.isPassed(from: format.decode(states[index].lastSent), to: format.decode(octets)) else { return }
    }
    states[index].lastSent = octets
    let characteristic = CharacteristicIndex(index)
    if behaviors[index].notify == .onChange, states[index].notified > 0 { actions.append(.notify(characteristic)) }
    if behaviors[index].indicate == .onChange, states[index].indicated > 0 { actions.append(.indicate(characteristic)) }
  }
}
