import BLECore
import Understudy

/// What is expected of a participant. Each looks behind the last event that was expected of it, lets virtual time pass until
/// what is wanted has happened, and throws a `TestFailure` when it does not in time.
extension TestParticipant {
  /// Waits for an event like that.
  @discardableResult
  public func expect(_ pattern: EventPattern, within limit: Duration = .seconds(10)) throws -> TestEvent {
    try expect(inOrder: [pattern], within: limit)[0]
  }

  /// Waits for events like these, one behind the other; others may come between them.
  @discardableResult
  public func expect(
    inOrder patterns: [EventPattern], within limit: Duration = .seconds(10)
  ) throws -> [TestEvent] {
    try collect(patterns, within: limit) { missing, event in missing.first.map { $0.fits(event) ? 0 : nil } ?? nil }
  }

  /// Waits for an event like each of these, in any order; others may come between them.
  @discardableResult
  public func expect(
    inAnyOrder patterns: [EventPattern], within limit: Duration = .seconds(10)
  ) throws -> [TestEvent] {
    try collect(patterns, within: limit) { missing, event in missing.firstIndex { $0.fits(event) } }
  }

  /// Lets that much time pass, in which no event like that may happen.
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
    if let found { throw failure("\(name) was to have no \(pattern), but had \(found)") }
    air.advance(by: end - air.now)
  }

  /// The events that fit, in the order in which they came; `place` says which of the missing ones an event is.
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
