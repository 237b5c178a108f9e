import BLEATT
import BLECore
import BLEGATT

/// What a characteristic of a profile does by itself: its value, when it is sent, and what a write causes.
public struct CharacteristicBehavior: Hashable, Sendable {
  /// The name by which the profile and the control API speak of it.
  public var id: String
  /// What kind of value it holds.
  public var uuid: BluetoothUUID
  /// What its octets mean.
  public var format: ValueFormat
  /// Where its value comes from.
  public var source: ValueSource
  /// Whether the database keeps the value; otherwise the runtime is asked at every read.
  public var isStored: Bool
  /// Whether a value that was written or set outlives the run.
  public var isPersistent = false
  /// Who has a value of its own.
  public var owner = ValueOwner.accessory
  /// When subscribers are notified; nil when the characteristic cannot notify.
  public var notify: Sending?
  /// When subscribers get indications; nil when the characteristic cannot indicate.
  public var indicate: Sending?
  /// What a write causes: the first rule that fits.
  public var writeRules: [WriteRule]
  /// What must hold for reads to be answered in the way that `readError` and `readTiming` say; nil for nothing. Other reads get
  /// the value at once.
  public var readRequirement: Expression?
  /// The error that reads are answered with; nil for none.
  public var readError: ATTErrorCode?
  /// When they are answered; nil for at once.
  public var readTiming: AnswerTiming?
  /// How far a number must be from the one that was sent last before its change counts, and of which field it is; nil for any change.
  public var threshold: Threshold?
  /// How writes become packets; nil when each is one.
  public var framing: PacketFraming?
  /// Where each written value has its number; nil when values have none.
  public var numbering: WriteNumbering?
  /// How writes are read as commands; nil when they are values.
  public var controlPoint: ControlPoint?
  /// The table of whose records subscribers are told, as a Notification Source tells it.
  public var announcedTable: String?
  /// The authorization that clients need to use it; nil when they need none.
  public var authorization: AuthorizationScope?

  /// What stands where there is no characteristic of the profile: it was removed, or is the host's own.
  static let absent = CharacteristicBehavior(
    id: "", uuid: BluetoothUUID(0), format: .octets, source: .constant(.octets([])), isStored: false, writeRules: [])

  /// Whether there is a characteristic.
  var isPresent: Bool { !id.isEmpty }

  /// Which change of a value counts.
  public struct Threshold: Hashable, Sendable {
    /// How much.
    public var change: Double
    /// The field; nil for the value itself.
    public var field: String?

    /// Whether one value is far enough from another; what is no number always is.
    func isPassed(from old: ProfileValue, to new: ProfileValue) -> Bool {
      guard let before = number(old), let now = number(new) else { return old != new }
      return abs(now - before) >= change
    }

    private func number(_ value: ProfileValue) -> Double? {
      guard let field else { return value.number }
      if case .object(let fields) = value { return fields[field]?.number }
      return nil
    }
  }

  /// When a value is sent by itself.
  public enum Sending: Hashable, Sendable {
    /// At each interval, while somebody has subscribed.
    case every(Duration)
    /// When it changes.
    case onChange
    /// Whenever a controller buffer is free.
    case continuously
    /// Only when a rule or the control API says so.
    case onDemand
  }
}

/// What a write causes, and which one.
public struct WriteRule: Hashable, Sendable {
  /// Which writes it is for.
  public var condition: Condition
  /// What must hold besides; nil for nothing.
  public var requirement: Expression?
  /// The error it is answered with; the value then stays as it is.
  public var error: ATTErrorCode?
  /// What is done, in this order, where there is no error.
  public var effects: [RuleEffect]
  /// When it is answered, and with that done; nil for at once.
  public var timing: AnswerTiming?

  /// Which writes a rule is for.
  public enum Condition: Hashable, Sendable {
    case any
    /// Exactly these octets.
    case octets([UInt8])
    /// So many octets.
    case length(ClosedRange<Int>)
    /// At least one octet, and this is the first.
    case first(UInt8)

    /// Whether a value is meant.
    func holds(for value: [UInt8]) -> Bool {
      switch self {
      case .any: true
      case .octets(let octets): value == octets
      case .length(let range): range.contains(value.count)
      case .first(let octet): value.first == octet
      }
    }
  }
}

/// A write that a rule wants to be noted.
package struct JournalEntry: Hashable, Sendable {
  /// What was written to.
  package var characteristic: CharacteristicIndex
  /// Who wrote.
  package var client: ClientID
  /// What was written.
  package var value: [UInt8]
  /// When.
  package var instant: Instant

  /// A note of that write.
  package init(characteristic: CharacteristicIndex, client: ClientID, value: [UInt8], instant: Instant) {
    self.characteristic = characteristic
    self.client = client
    self.value = value
    self.instant = instant
  }
}
