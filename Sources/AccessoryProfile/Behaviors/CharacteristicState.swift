import BLEATT
import BLECore
import BLEGATT

/// What changes of a characteristic while the accessory runs.
struct CharacteristicState: Sendable {
  /// The value as it was computed, written or set last.
  var octets: [UInt8] = []
  /// How a read finds the value.
  var refresh = Refresh.kept
  /// The error that every read is answered with.
  var readError: ATTErrorCode?
  /// When reads are answered, where that is not at once.
  var readTiming: AnswerTiming?
  /// What an accepted write does to the value, and whether rules judge it first.
  var writing = Writing.kept
  var hasRules = false
  /// How often the value has been sent.
  var samples = 0
  /// For its random numbers.
  var seed: UInt64 = 0
  /// Whether its source has expressions.
  var isComputed = false
  /// How a record becomes a value; nil for any other source.
  var plan: RecordPlan?
  /// Whether clients have values of their own, and those of the clients that are there.
  var isOwned = false
  /// Whether written values have numbers.
  var isNumbered = false
  var own: [ClientID: [UInt8]] = [:]
  /// When its generators began.
  var origin = Instant.zero
  var fieldOrigins: [String: Instant] = [:]
  /// How much is added to generated numbers of fields, because a command has set them and they go on from there.
  var fieldOffsets: [String: Double] = [:]
  /// Fields that were set and do not follow their generators.
  var fieldOverrides: [String: ProfileValue] = [:]
  /// Whether the whole value was set or written, and does not follow its generator.
  var isOverridden = false
  /// How far its clock was set ahead, in nanoseconds, and by what.
  var clockShift: Int64 = 0
  var clockAdjusted: [ProfileValue] = []
  var beats = Heartbeat()
  /// How many clients take notifications and indications.
  var notified = 0
  var indicated = 0
  /// What was sent last on change.
  var lastSent: [UInt8] = []
  /// When it is notified, indicated, and looked at for a change.
  var nextNotification: Instant?
  var nextIndication: Instant?
  var nextLook: Instant?
  /// The sequence number that each client gets next.
  var sequence: [ClientSequence] = []

  struct ClientSequence: Hashable, Sendable {
    var client: ClientID
    var number: UInt32
  }

  enum Refresh: Hashable, Sendable {
    /// As it is.
    case kept
    /// It is computed for the time of the read.
    case live
    /// It is computed when it is sent by a timer, and stays until then.
    case timed
    /// It is computed at each read, which counts as sending it.
    case counted
    /// The sequence number in its first four octets is put in at each read.
    case pattern
  }

  enum Writing: Hashable, Sendable {
    /// It replaces the value.
    case kept
    /// A generator goes on in spite of it.
    case ignored
    /// It sets the clock.
    case clock
  }

  /// The earliest of its timers.
  var nextDeadline: Instant? { .earliest(.earliest(nextNotification, nextIndication), nextLook) }

  /// Puts a sequence number into the first four octets.
  mutating func patch(sequence number: UInt32) {
    guard octets.count >= 4 else { return }
    octets[0] = UInt8(truncatingIfNeeded: number)
    octets[1] = UInt8(truncatingIfNeeded: number >> 8)
    octets[2] = UInt8(truncatingIfNeeded: number >> 16)
    octets[3] = UInt8(truncatingIfNeeded: number >> 24)
  }

  /// Puts a client's next sequence number into the first four octets.
  mutating func advanceSequence(of client: ClientID) {
    for index in sequence.indices where sequence[index].client == client {
      patch(sequence: sequence[index].number)
      sequence[index].number &+= 1
      return
    }
    patch(sequence: 0)
    sequence.append(ClientSequence(client: client, number: 1))
  }
}
