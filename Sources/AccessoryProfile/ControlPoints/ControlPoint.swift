import BLEATT
import BLECore
import BLEGATT

/// A characteristic to which clients write commands: an opcode, and parameters behind it. It is judged by a table, and answered
/// by an error of the write, or by a response on a characteristic.
public struct ControlPoint: Hashable, Sendable {
  /// The characteristic that carries the responses.
  public var answer: CharacteristicIndex
  /// Whether responses are indicated; otherwise they are notified, in several parts where one is not enough.
  public var isIndicated: Bool
  /// The response to commands that do not say another one, and of all that fail with a result; nil for none.
  public var response: [ResponsePart]?
  /// The result of a command that succeeded.
  public var success: UInt8
  /// The outcome of an opcode that no command has.
  public var unknown: Refusal
  /// The outcome of parameters that are too short, too long, or none of their format.
  public var malformed: Refusal
  /// The outcome while the client's last command is not answered to the end; without it, answers wait in line.
  public var busy: Refusal?
  /// The outcome for a client that does not take responses; without it, the command is done in silence.
  public var unsubscribed: Refusal?
  /// The commands.
  public var commands: [Command]

  /// How a command fails.
  public enum Refusal: Hashable, Sendable {
    /// The write is answered with an Error Response.
    case error(ATTErrorCode)
    /// The write is accepted, and the response says this result.
    case result(UInt8)
  }

  /// One command.
  public struct Command: Hashable, Sendable {
    /// The first octet.
    public var opcode: UInt8
    /// Whether clients may give it while their last one is under way.
    public var isPossibleWhileBusy: Bool
    /// What follows it.
    public var parameters: [Parameter]
    /// What must hold, in this order.
    public var checks: [Check]
    /// What is done then.
    public var effects: [Effect]
    /// Another response than the control point's.
    public var response: [ResponsePart]?
  }

  /// A parameter of a command.
  public struct Parameter: Hashable, Sendable {
    /// Its name in the command.
    public var name: String
    /// How it is read.
    public var kind: Kind

    /// How a parameter is read.
    public enum Kind: Hashable, Sendable {
      /// A value of that format; one without a fixed size takes all that is left.
      case value(ValueFormat)
      /// UTF-8 up to an octet 0.
      case terminatedText
      /// Up to the end: numbers of columns of the record that was found, at least one.
      case attributes([Attribute], unknown: Refusal)
      /// Up to the end: an operator and its operand, which choose records.
      case records(RecordSelector)
    }
  }

  /// A column that clients ask for by its number. Its answer is the number, the length in two octets, and the text.
  public struct Attribute: Hashable, Sendable {
    /// The number.
    public var number: UInt8
    /// The column.
    public var column: String
    /// Whether the longest length that the client takes follows the number, in two octets.
    public var hasMaximum: Bool
    /// Whether the length of the text is what is asked for, in decimal.
    public var isSize: Bool
  }

  /// Something that must hold before a command is done.
  public struct Check: Hashable, Sendable {
    /// What must hold.
    public var condition: Condition
    /// The outcome when it does not.
    public var refusal: Refusal
  }

  /// What a check looks at.
  public enum Condition: Hashable, Sendable {
    /// A parameter is one of these values.
    case oneOf(parameter: String, [ProfileValue])
    /// A parameter is a number within bounds.
    case within(parameter: String, ClosedRange<Double>)
    /// There is a record with that key, of which the rest of the command is.
    case row(table: String, parameter: String)
    /// A text of that record is not empty: that of a column, or of the column that a parameter names.
    case filled(column: String)
    case filledColumn(parameter: String)
    /// A characteristic has this value.
    case value(CharacteristicIndex, ProfileValue)
    /// A condition on parameters and anything else is true.
    case expression(Expression)
    /// A parameter chooses one record at least.
    case found(parameter: String)
    /// The client takes notifications or indications of a characteristic.
    case subscribed(CharacteristicIndex)
    /// The client has a channel open on which rules send something.
    case channel(String)
  }

  /// What a command does.
  public enum Effect: Hashable, Sendable {
    /// What a write to any characteristic can do.
    case write(RuleEffect)
    /// A characteristic, or one of its fields, gets the value of a parameter.
    case assign(CharacteristicIndex, field: String?, parameter: String)
    /// The record that was found goes.
    case removeRow
    /// Records go.
    case clear(Records)
    /// The client gets records, each in one notification of a characteristic.
    case send(Records, CharacteristicIndex)
    /// What the client's earlier commands have yet to send is not sent.
    case stop
  }

  /// Which records something is about.
  public enum Records: Hashable, Sendable {
    /// All of a table.
    case all(table: String)
    /// Those that a parameter chooses.
    case chosen(parameter: String)
  }

  /// A part of a response.
  public enum ResponsePart: Hashable, Sendable {
    /// These octets.
    case octets([UInt8])
    /// The opcode of the command.
    case opcode
    /// Its result.
    case result
    /// A parameter as it was written; of attributes, the answers.
    case parameter(String)
    /// The value of a characteristic.
    case value(CharacteristicIndex)
    /// A column of the record that was found, in its format.
    case column(String)
    /// What is computed, as octets.
    case computed(Expression)
    /// How many records there are, in two octets.
    case count(Records)
  }
}
