import AccessoryProfile
import BLECore
import Understudy

/// Something that happened to an accessory or a central on a `TestAir`: an event with the names and fields that docs/events.md has,
/// as `understudy run --json` prints them.
public struct TestEvent: Hashable, Sendable, CustomStringConvertible {
  /// When, since the beginning of the air.
  public var time: Duration
  /// Its name: `write`, `disconnected`.
  public var name: String
  /// Its fields, and its name as `event`.
  public var fields: ProfileValue

  init(_ fields: ProfileValue, at time: Duration) {
    self.time = time
    self.fields = fields
    name = fields["event"]?.string ?? ""
  }

  /// A field; nil where it has none of that name.
  public subscript(field: String) -> ProfileValue? { fields[field] }

  /// The value that was read, written or sent, as the characteristic's format reads it; nil for events about none.
  public var value: ProfileValue? { fields["value"] }

  /// The octets that were read, written or sent; nil for events about none.
  public var octets: [UInt8]? { fields["hex"]?.string.flatMap { [UInt8](hexadecimal: $0) } }

  /// The event as JSON.
  public var description: String { fields.jsonText }
}

/// What happened on an air, in lines for people: the virtual time in seconds, who, and the event.
public final class Transcript: CustomStringConvertible {
  /// The lines.
  public private(set) var lines: [String] = []

  init() {}

  /// Writes a line of your own, so that a failed test reads more easily.
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

/// What was expected on an air and did not happen, or did and was not to.
public struct TestFailure: Error, Sendable, CustomStringConvertible {
  /// What did not go as expected, in one sentence.
  public var reason: String
  /// What happened, as the air's transcript has it.
  public var transcript: [String]

  /// The sentence, and what happened below it.
  public var description: String {
    transcript.isEmpty ? reason : "\(reason)\nWhat happened:\n" + transcript.map { "  \($0)\n" }.joined()
  }
}

/// The events of one participant.
final class Journal {
  let who: String
  let transcript: Transcript
  private(set) var events: [TestEvent] = []
  /// Up to where they have been expected.
  var position = 0

  init(_ who: String, _ transcript: Transcript) { (self.who, self.transcript) = (who, transcript) }

  func take(_ fields: ProfileValue, at now: Instant) {
    let event = TestEvent(fields, at: .nanoseconds(now.nanoseconds))
    events.append(event)
    transcript.note(who, event.description, at: event.time)
  }
}
