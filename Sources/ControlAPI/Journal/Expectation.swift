import AccessoryProfile
import BLECore
import Understudy

/// An expectation about the events after a number: that some match, or that none does.
struct Expectation: Sendable {
  /// The fields that an event must have. A value matches if it is equal; an object matches if the given fields do.
  var fields: [String: ProfileValue]
  /// The octets of the event's `hex`.
  var octets: [UInt8]?
  /// The number of matching events to wait for.
  var count = 1
  /// Whether no event may match.
  var isNone = false
  /// How long to wait.
  var limit: Duration
  /// The number of the event after which to search.
  var place: Int

  /// The outcome of an expectation.
  struct Outcome: Sendable {
    var found: [NumberedEvent] = []
    /// The newest of the events that have happened.
    var transcript: [NumberedEvent] = []
    /// The number of events that were no longer in the journal.
    var lost = 0
    /// The number of the last event that was searched.
    var last: Int
    /// Whether the journal has ended.
    var isOver = false
  }

  /// The maximum number of events in a transcript.
  static let shown = 200

  /// Returns whether an event matches.
  func fits(_ event: ProfileValue) -> Bool {
    if let octets {
      guard case .object(let event) = event, case .string(let digits) = event["hex"],
        [UInt8](hexadecimal: digits) == octets
      else { return false }
    }
    return event.includes(.object(fields))
  }

  /// Searches until enough events match, the time is over, the journal ends, or one of `ends` begins.
  func outcome(in journal: EventJournal, until ends: [Shutdown]) async -> Outcome {
    let reader = JournalReader(journal, after: place)
    let ids = ends.map { $0.notify { reader.finish() } }
    let timer = Task {
      try? await Task.sleep(for: limit)
      reader.finish()
    }
    defer {
      timer.cancel()
      for (end, id) in zip(ends, ids) { end.forget(id) }
      reader.end()
    }
    var outcome = Outcome(last: place)
    while case .excerpt(let excerpt) = await reader.next() {
      outcome.lost += excerpt.lost
      for entry in excerpt.entries {
        outcome.transcript.append(entry)
        outcome.last = entry.id
        guard fits(entry.json) else { continue }
        outcome.found.append(entry)
        if outcome.found.count == count { return outcome.trimmed }
      }
      outcome = outcome.trimmed
    }
    outcome.isOver = journal.isOver
    return outcome
  }
}

extension Expectation.Outcome {
  /// The outcome with its transcript shortened to the maximum.
  fileprivate var trimmed: Expectation.Outcome {
    var outcome = self
    outcome.transcript = transcript.suffix(Expectation.shown)
    return outcome
  }
}
