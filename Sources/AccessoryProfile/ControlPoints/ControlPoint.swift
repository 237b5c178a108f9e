import BLEATT
import BLECore
import BLEGATT

/// A characteristic to which clients write commands: an opcode, followed by parameters. A command table determines the effects, and the
/// answer is an Error Response to the write, or a response on a characteristic.
public struct ControlPoint: Hashable, Sendable {
  /// The characteristic on which responses are sent.
  public var answer: CharacteristicIndex
  /// Whether responses are indicated. Otherwise they are notified, in several parts if necessary.
  public var isIndicated: Bool
  /// The response to commands without one of their own, and to all commands that fail with a result; nil for none.
  public var response: [ResponsePart]?
  /// The result code of success.
  public var success: UInt8
  /// The outcome for an opcode without a command.
  public var unknown: Refusal
  /// The outcome for parameters that are too short, too long, or not in their format.
  public var malformed: Refusal
  /// The outcome while the client's last command is not fully answered; nil to queue the answers.
  public var busy: Refusal?
  /// The outcome for a client that is not subscribed to responses; nil to perform the command without a response.
  public var unsubscribed: Refusal?
  /// The commands.
  public var commands: [Command]

  /// The way in which a command fails.
  public enum Refusal: Hashable, Sendable {
    /// An Error Response to the write.
    case error(ATTErrorCode)
    /// A response with this result code. The write itself succeeds.
    case result(UInt8)
  }

  /// One command.
  public struct Command: Hashable, Sendable {
    /// The first octet.
    public var opcode: UInt8
    /// Whether a client may send it while the client's last command is in progress.
    public var isPossibleWhileBusy: Bool
    /// The parameters, in order.
    public var parameters: [Parameter]
    /// The conditions, in the order in which they are checked.
    public var checks: [Check]
    /// The effects if all conditions hold.
    public var effects: [Effect]
    /// A response of its own; nil for that of the control point.
    public var response: [ResponsePart]?
  }

  /// A parameter of a command.
  public struct Parameter: Hashable, Sendable {
    /// Its name in the command.
    public var name: String
    /// The encoding of the parameter.
    public var kind: Kind

    /// The encoding of a parameter.
    public enum Kind: Hashable, Sendable {
      /// A value in this format. A value without a fixed size takes all remaining octets.
      case value(ValueFormat)
      /// Null-terminated UTF-8.
      case terminatedText
      /// All remaining octets: the numbers of at least one column of the record that was found.
      case attributes([Attribute], unknown: Refusal)
      /// All remaining octets: an operator and its operand, which select records.
      case records(RecordSelector)
    }
  }

  /// A column that clients request by its number. The answer consists of the number, the length in two octets, and the text.
  public struct Attribute: Hashable, Sendable {
    /// The number.
    public var number: UInt8
    /// The column.
    public var column: String
    /// Whether the number is followed by the maximum length that the client accepts, in two octets.
    public var hasMaximum: Bool
    /// Whether the answer is the length of the text, in decimal, instead of the text.
    public var isSize: Bool
  }

  /// A condition that must hold for a command.
  public struct Check: Hashable, Sendable {
    /// The condition.
    public var condition: Condition
    /// The outcome if the condition does not hold.
    public var refusal: Refusal
  }

  /// The condition of a check.
  public enum Condition: Hashable, Sendable {
    /// A parameter is one of these values.
    case oneOf(parameter: String, [ProfileValue])
    /// A parameter is a number within bounds.
    case within(parameter: String, ClosedRange<Double>)
    /// A record with that key exists. The rest of the command refers to it.
    case row(table: String, parameter: String)
    /// A text of that record is not empty: the column is fixed, or named by a parameter.
    case filled(column: String)
    case filledColumn(parameter: String)
    /// A characteristic has this value.
    case value(CharacteristicIndex, ProfileValue)
    /// An expression over parameters and other values is true.
    case expression(Expression)
    /// A parameter selects at least one record.
    case found(parameter: String)
    /// The client is subscribed to notifications or indications of a characteristic.
    case subscribed(CharacteristicIndex)
    /// The client has opened a channel on which rules send data.
    case channel(String)
  }

  /// An effect of a command.
  public enum Effect: Hashable, Sendable {
    /// An effect that a write to any characteristic can have.
    case write(RuleEffect)
    /// Sets a characteristic, or one of its fields, to the value of a parameter.
    case assign(CharacteristicIndex, field: String?, parameter: String)
    /// Removes the record that was found.
    case removeRow
    /// Removes records.
    case clear(Records)
    /// Sends records to the client, each in one notification of a characteristic.
    case send(Records, CharacteristicIndex)
    /// Cancels everything that the client's earlier commands have yet to send.
    case stop
  }

  /// A set of records.
  public enum Records: Hashable, Sendable {
    /// All records of a table.
    case all(table: String)
    /// The records that a parameter selects.
    case chosen(parameter: String)
  }

  /// A part of a response.
  public enum ResponsePart: Hashable, Sendable {
    /// These octets.
    case octets([UInt8])
    /// The opcode of the command.
    case opcode
    /// The result code.
    case result
    /// A parameter as it was written; for attributes, the answers.
    case parameter(String)
    /// The value of a characteristic.
    case value(CharacteristicIndex)
    /// A column of the record that was found, encoded in its format.
    case column(String)
    /// The octets of an expression's result.
    case computed(Expression)
    /// The number of records, in two octets.
    case count(Records)
  }
}
