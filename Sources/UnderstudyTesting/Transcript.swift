import AccessoryProfile
import BLECore

/// The events on an air as readable lines: the virtual time in seconds, the participant, and the event.
public final class Transcript: CustomStringConvertible {
  /// The lines.
  public private(set) var lines: [String] = []

  package init() {}

  /// Adds a line of your own, to make the output of a failed test easier to read.
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
