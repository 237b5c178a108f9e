import AccessoryProfile
import BLECore
import UnderstudyCore

/// An event of an accessory or a central on a `TestAir`, with the names and fields that docs/events.md lists and that `understudy run
/// --json` prints.
public struct TestEvent: Hashable, Sendable, CustomStringConvertible {
  /// The time since the start of the air.
  public var time: Duration
  /// The name, such as `write` or `disconnected`.
  public var name: String
  /// The fields, including the name as `event`.
  public var fields: ProfileValue

  package init(_ fields: ProfileValue, at time: Duration) {
    self.time = time
    self.fields = fields
    name = fields["event"]?.string ?? ""
  }

  /// A field; nil if there is none with that name.
  public subscript(field: String) -> ProfileValue? { fields[field] }

  /// The value that was read, written or sent, in the characteristic's format; nil for events without a value.
  public var value: ProfileValue? { fields["value"] }

  /// The octets that were read, written or sent; nil for events without octets.
  public var octets: [UInt8]? { fields["hex"]?.string.flatMap { [UInt8](hexadecimal: $0) } }

  /// The event as JSON.
  public var description: String { fields.jsonText }
}

/// The events on an air, in lines for people: the virtual time in seconds, the participant, and the event.
public final class Transcript: CustomStringConvertible {
  /// The lines.
  public private(set) var lines: [String] = []

  package init() {}

  /// Adds a line of your own, which makes the output of a failed test easier to read.
  public func note(_ text: String, at time: Duration) { note("test", text, at: time) }

  package func note(_ who: String, _ text: String, at time: Duration) {
    let microseconds = time / .microseconds(1)
    let whole = Int64(microseconds.rounded(.down))
    let fraction = String(whole % 1_000_000 + 1_000_000).dropFirst()
    lines.append("\(whole / 1_000_000).\(fraction) \(who): \(text)")
  }

  /// All lines.
  public var description: String { lines.joined(separator: "\n") }
}

/// An expectation on an air that was not met.
public struct TestFailure: Error, Sendable, CustomStringConvertible {
  /// The expectation that was not met, in one sentence.
  public var reason: String
  /// The lines of the air's transcript.
  public var transcript: [String]

  package init(reason: String, transcript: [String]) {
    self.reason = reason
    self.transcript = transcript
  }

  /// The sentence, followed by the transcript.
  public var description: String {
    transcript.isEmpty ? reason : "\(reason)\nWhat happened:\n" + transcript.map { "  \($0)\n" }.joined()
  }
}

/// The events of one participant.
package final class Journal {
  let who: String
  let transcript: Transcript
  package private(set) var events: [TestEvent] = []
  /// The position after the last expected event.
  var position = 0

  package init(_ who: String, _ transcript: Transcript) { (self.who, self.transcript) = (who, transcript) }

  package func take(_ fields: ProfileValue, at now: Instant) {
    let event = TestEvent(fields, at: .nanoseconds(now.nanoseconds))
    events.append(event)
    transcript.note(who, event.description, at: event.time)
  }
}
