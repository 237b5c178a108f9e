import BLECore

/// An accessory or a central on an air. Tests can expect its events.
open class TestParticipant {
  /// The air. Its participants keep it alive.
  public let air: TestAir
  /// The name in the transcript.
  public let name: String
  let journal: Journal

  package init(named name: String, on air: TestAir) {
    (self.name, self.air) = (name, air)
    journal = Journal(name, air.transcript)
  }

  init(_ name: String, _ journal: Journal, on air: TestAir) {
    (self.name, self.journal, self.air) = (name, journal, air)
  }

  /// All events of the participant, in order.
  public var events: [TestEvent] { journal.events }

  /// A function that adds an event with these fields at a time. The field `event` is the event's name. The function does not retain the
  /// participant.
  package var recorder: (ProfileValue, Instant) -> Void { { [journal] in journal.take($0, at: $1) } }
}
