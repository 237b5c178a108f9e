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
