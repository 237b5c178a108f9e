import AccessoryProfile
import Capture
import UnderstudyCore

/// The events of a run in real time, in bounded memory.
package struct MomentLog: Sendable {
  private struct Entry: Sendable {
    var nanoseconds: Int64
    var who: String
    var text: String
  }

  private var entries = EndsOfSequence<Entry>(limit: Moment.limit)

  /// Creates an empty log.
  package init() {}

  /// Adds an event with the fields of docs/events.md. Events without a time are left out.
  package mutating func append(_ event: ProfileValue, of name: String = "accessory") {
    guard let seconds = event["time"]?.number, seconds.magnitude < 1e10 else { return }
    let who = event["accessory"]?.string ?? name
    let text = event.without("time").without("accessory").jsonText
    entries.append(Entry(nanoseconds: Int64((seconds * 1e6).rounded()) * 1000, who: who, text: text))
  }

  /// The wall clock of the first event: nanoseconds since 1970-01-01 00:00 UTC; nil if there is none.
  package var began: Int64? { entries.elements.first?.nanoseconds }

  /// Returns the events with their times since a wall clock.
  package func moments(since epoch: Int64) -> [Moment] {
    entries.elements.map { Moment(nanoseconds: $0.nanoseconds.elapsed(since: epoch), who: $0.who, text: $0.text) }
  }
}
