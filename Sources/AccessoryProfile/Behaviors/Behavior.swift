import BLEATT
import BLECore
import BLEGATT

/// The behavior of a characteristic of a profile: its value, when the value is sent, and the effects of a write.
public struct CharacteristicBehavior: Hashable, Sendable {
  /// The name that the profile and the control API use.
  public var id: String
  /// The UUID of the characteristic.
  public var uuid: BluetoothUUID
  /// The meaning of the value's octets.
  public var format: ValueFormat
  /// How the dashboard shows the value; nil if the profile leaves that to the dashboard.
  public var display: ValueDisplay?
  /// The source of the value.
  public var source: ValueSource
  /// Whether the database keeps the value. Otherwise, every read asks the runtime.
  public var isStored: Bool
  /// Whether a value that was written or set is kept when the run ends.
  public var isPersistent = false
  /// The owner of each value: the accessory, or each client or bond separately.
  public var owner = ValueOwner.accessory
  /// When subscribers are notified; nil if the characteristic cannot notify.
  public var notify: Sending?
  /// When subscribers get indications; nil if the characteristic cannot indicate.
  public var indicate: Sending?
  /// The rules for writes. The first match applies.
  public var writeRules: [WriteRule]
  /// The condition under which `readError` and `readTiming` apply to a read; nil if they always apply. All other reads get the value at
  /// once.
  public var readRequirement: Expression?
  /// The error response to reads; nil for none.
  public var readError: ATTErrorCode?
  /// The delay or question before a read is answered; nil to answer at once.
  public var readTiming: AnswerTiming?
  /// The minimum change of a number since it was last sent, and its field; nil if any change counts.
  public var threshold: Threshold?
  /// How writes are assembled into packets; nil if each write is one packet.
  public var framing: PacketFraming?
  /// The position of a sequence number in each written value; nil for none.
  public var numbering: WriteNumbering?
  /// How writes are interpreted as commands; nil if they are values.
  public var controlPoint: ControlPoint?
  /// The table whose changes are announced to subscribers, as by a Notification Source; nil for none.
  public var announcedTable: String?
  /// The authorization that clients need for access; nil for none.
  public var authorization: AuthorizationScope?

  /// A placeholder for a characteristic that was removed or belongs to the host.
  static let absent = CharacteristicBehavior(
    id: "", uuid: BluetoothUUID(0), format: .octets, source: .constant(.octets([])), isStored: false, writeRules: [])

  /// Whether this is a characteristic of the profile, and not a placeholder.
  var isPresent: Bool { !id.isEmpty }

  /// The minimum change of a value that counts.
  public struct Threshold: Hashable, Sendable {
    /// The minimum difference.
    public var change: Double
    /// The field to compare; nil for the value itself.
    public var field: String?

    /// Returns whether two values differ by at least the threshold. If either is not a number, any difference counts.
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

  /// When a value is sent automatically.
  public enum Sending: Hashable, Sendable {
    /// At each interval, while there are subscribers.
    case every(Duration)
    /// When it changes.
    case onChange
    /// Whenever a controller buffer is free.
    case continuously
    /// Only on request of a rule or the control API.
    case onDemand
  }
}

/// A rule that decides what a write causes.
public struct WriteRule: Hashable, Sendable {
  /// The writes that the rule matches.
  public var condition: Condition
  /// An additional condition; nil for none.
  public var requirement: Expression?
  /// The error response. It leaves the value unchanged.
  public var error: ATTErrorCode?
  /// The effects of the write, in order, if there is no error.
  public var effects: [RuleEffect]
  /// The delay or question before the write is answered and takes effect; nil for at once.
  public var timing: AnswerTiming?

  /// The writes that a rule matches.
  public enum Condition: Hashable, Sendable {
    case any
    /// Exactly these octets.
    case octets([UInt8])
    /// A length in this range, in octets.
    case length(ClosedRange<Int>)
    /// At least one octet, the first of which is this one.
    case first(UInt8)

    /// Returns whether a written value matches.
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

/// A write that a rule logs.
package struct JournalEntry: Hashable, Sendable {
  /// The characteristic that was written.
  package var characteristic: CharacteristicIndex
  /// The client that wrote it.
  package var client: ClientID
  /// The written value.
  package var value: [UInt8]
  /// The time of the write.
  package var instant: Instant

  /// Creates an entry for a write.
  package init(characteristic: CharacteristicIndex, client: ClientID, value: [UInt8], instant: Instant) {
    self.characteristic = characteristic
    self.client = client
    self.value = value
    self.instant = instant
  }
}
