import AccessoryProfile
import BLECore
import Understudy

/// What somebody expects of the events from a place on: some that fit, or none of them.
struct Expectation: Sendable {
  /// What fields an event is to have, by their names. A value fits when it is equal; an object when the fields that are given do.
  var fields: [String: ProfileValue]
  /// The octets of the event's `hex`.
  var octets: [UInt8]?
  /// How many such events.
  var count = 1
  /// Whether none of them is to come.
  var isNone = false
  /// How long to wait for them.
  var limit: Duration
  /// Behind which event to look.
  var place: Int

  /// How an expectation ended.
  struct Outcome: Sendable {
    var found: [NumberedEvent] = []
    /// What has happened, the newest of it.
    var transcript: [NumberedEvent] = []
    /// How many events the journal had not any longer.
    var lost = 0
    /// The number of the last event that was looked at.
    var last: Int
    /// Whether no more events will come.
    var isOver = false
  }

  /// The most events of a transcript.
  static let shown = 200

  /// Whether an event fits.
  func fits(_ event: ProfileValue) -> Bool {
    if let octets {
      guard case .object(let event) = event, case .string(let digits) = event["hex"],
        [UInt8](hexadecimal: digits) == octets
      else { return false }
    }
    return event.includes(.object(fields))
  }

  /// Reads on until as many have come as were wanted, until the time is over, until nothing more comes, or until one of the ends.
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
  /// The same with no more of a transcript than is shown.
  fileprivate var trimmed: Expectation.Outcome {
    var outcome = self
    outcome.transcript = transcript.suffix(Expectation.shown)
    return outcome
  }
}
