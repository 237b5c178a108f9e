import BLECore
import UnderstudyCore

/// Expectations about a participant's events. Each starts after the last expected event, lets virtual time pass until it is met, and
/// throws a `TestFailure` if that takes too long.
extension TestParticipant {
  /// Waits for a matching event.
  @discardableResult
  public func expect(_ pattern: EventPattern, within limit: Duration = .seconds(10)) throws -> TestEvent {
    try expect(inOrder: [pattern], within: limit)[0]
  }

  /// Waits for events that match these patterns in order. Other events may occur between them.
  @discardableResult
  public func expect(
    inOrder patterns: [EventPattern], within limit: Duration = .seconds(10)
  ) throws -> [TestEvent] {
    try collect(patterns, within: limit) { missing, event in missing.first.map { $0.fits(event) ? 0 : nil } ?? nil }
  }

  /// Waits for an event for each of these patterns, in any order. Other events may occur between them.
  @discardableResult
  public func expect(
    inAnyOrder patterns: [EventPattern], within limit: Duration = .seconds(10)
  ) throws -> [TestEvent] {
    try collect(patterns, within: limit) { missing, event in missing.firstIndex { $0.fits(event) } }
  }

  /// Lets virtual time pass, and throws if a matching event occurs.
  public func expectNone(_ pattern: EventPattern, for duration: Duration) throws {
    var next = journal.events.count
    var found: TestEvent?
    let end = air.now + duration
    air.advance(
      until: {
        while found == nil, next < journal.events.count {
          if pattern.fits(journal.events[next]) { found = journal.events[next] }
          next += 1
        }
        return found != nil
      }, within: duration)
    if let found { throw failure("\(name) should have had no \(pattern), but had \(found)") }
    air.advance(by: end - air.now)
  }

  /// Waits for an event for each pattern, and returns the events in the order in which they occurred. `place` returns the index of the
  /// missing pattern that an event matches.
  private func collect(
    _ patterns: [EventPattern], within limit: Duration, _ place: ([EventPattern], TestEvent) -> Int?
  ) throws -> [TestEvent] {
    var missing = patterns
    var found: [TestEvent] = []
    var next = journal.position
    air.advance(
      until: {
        while !missing.isEmpty, next < journal.events.count {
          let event = journal.events[next]
          if let index = place(missing, event) {
            missing.remove(at: index)
            found.append(event)
          }
          next += 1
        }
        return missing.isEmpty
      }, within: limit)
    guard missing.isEmpty else {
      let wanted = missing.map(\.description).joined(separator: ", then ")
      throw failure("\(name) had no \(wanted) within \(limit)")
    }
    journal.position = next
    return found
  }

  func failure(_ reason: String) -> TestFailure {
    TestFailure(reason: reason, transcript: air.transcript.lines)
  }
}
