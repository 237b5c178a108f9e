import BLEATT
import BLECore
import BLEGATT

/// The state of a characteristic while the accessory runs.
struct CharacteristicState: Sendable {
  /// The last value that was computed, written or set.
  var octets: [UInt8] = []
  /// How a read gets the value.
  var refresh = Refresh.kept
  /// The error response to every read; nil for none.
  var readError: ATTErrorCode?
  /// The delay or question before reads are answered; nil to answer at once.
  var readTiming: AnswerTiming?
  /// The effect of an accepted write on the value, and whether rules judge the write first.
  var writing = Writing.kept
  var hasRules = false
  /// The number of times the value has been sent.
  var samples = 0
  /// The seed of its random numbers.
  var seed: UInt64 = 0
  /// Whether its source has expressions.
  var isComputed = false
  /// The plan that makes a value of a record; nil for any other source.
  var plan: RecordPlan?
  /// Whether each client has a value of its own.
  var isOwned = false
  /// Whether written values contain sequence numbers.
  var isNumbered = false
  var own: [ClientID: [UInt8]] = [:]
  /// The start time of the generators.
  var origin = Instant.zero
  var fieldOrigins: [String: Instant] = [:]
  /// The offset of generated numbers of fields: a command set them, and they continue from there.
  var fieldOffsets: [String: Double] = [:]
  /// Fields that were set and no longer follow their generators.
  var fieldOverrides: [String: ProfileValue] = [:]
  /// Whether the whole value was set or written and no longer follows its generator.
  var isOverridden = false
  /// The offset of the clock in nanoseconds, and the reasons for the adjustment.
  var clockShift: Int64 = 0
  var clockAdjusted: [ProfileValue] = []
  var beats = Heartbeat()
  /// The numbers of clients subscribed to notifications and to indications.
  var notified = 0
  var indicated = 0
  /// The last value that was sent because it changed.
  var lastSent: [UInt8] = []
  /// The next times to notify, to indicate, and to check for a change.
  var nextNotification: Instant?
  var nextIndication: Instant?
  var nextLook: Instant?
  /// The next sequence number of each client.
  var sequence: [ClientSequence] = []

  struct ClientSequence: Hashable, Sendable {
    var client: ClientID
    var number: UInt32
  }

  enum Refresh: Hashable, Sendable {
    /// The stored value is returned.
    case kept
    /// The value is computed at each read.
    case live
    /// The value is computed when a timer sends it, and stays the same until then.
    case timed
    /// The value is computed at each read, and a read counts as sending it.
    case counted
    /// Each read inserts the sequence number into the first four octets.
    case pattern
  }

  enum Writing: Hashable, Sendable {
    /// The written value replaces the value.
    case kept
    /// The write has no effect: the generator continues.
    case ignored
    /// The write sets the clock.
    case clock
  }

  /// The earliest deadline of its timers.
  var nextDeadline: Instant? { .earliest(.earliest(nextNotification, nextIndication), nextLook) }

  /// Writes a sequence number into the first four octets.
  mutating func patch(sequence number: UInt32) {
    guard octets.count >= 4 else { return }
    octets[0] = UInt8(truncatingIfNeeded: number)
    octets[1] = UInt8(truncatingIfNeeded: number >> 8)
    octets[2] = UInt8(truncatingIfNeeded: number >> 16)
    octets[3] = UInt8(truncatingIfNeeded: number >> 24)
  }

  /// Writes the client's next sequence number into the first four octets.
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
