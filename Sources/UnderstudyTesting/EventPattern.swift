import AccessoryProfile
import BLECore
import UnderstudyCore

/// A pattern for events: a name, required fields, and a condition.
///
/// ```swift
/// try lock.expect(.write(to: "command", value: "open"))
/// try lock.expect(EventPattern("mtu", ["mtu": 185]))
/// try belt.expect(.read(of: "battery-level") { $0.value?.number ?? 0 < 20 })
/// ```
public struct EventPattern: Sendable, CustomStringConvertible {
  /// A condition on an event.
  public typealias Condition = @Sendable (TestEvent) -> Bool

  /// The names that match.
  public var names: [String]
  /// The required fields and their values. An object may have further fields.
  public var fields: [String: ProfileValue]
  private let condition: Condition?

  /// Creates a pattern for events with this name. docs/events.md lists the names and their fields.
  public init(_ name: String, _ fields: [String: ProfileValue] = [:], where condition: Condition? = nil) {
    self.init([name], fields, where: condition)
  }

  init(_ names: [String], _ fields: [String: ProfileValue?], where condition: Condition?) {
    self.names = names
    self.fields = fields.compactMapValues { $0 }
    self.condition = condition
  }

  /// Returns whether an event matches.
  public func fits(_ event: TestEvent) -> Bool {
    names.contains(event.name) && event.fields.includes(.object(fields)) && condition?(event) ?? true
  }

  /// A description of the pattern, for messages.
  public var description: String {
    let texts = fields.sorted { $0.key < $1.key }.map { "\($0.key): \($0.value.jsonText)" }
    let what = names.joined(separator: " or ") + (texts.isEmpty ? "" : " with \(texts.joined(separator: ", "))")
    return condition == nil ? what : "\(what) that meets the condition"
  }
}

extension EventPattern {
  /// Matches a new link.
  public static var connected: EventPattern { EventPattern("connected") }

  /// Matches the end of a link for any reason, or for the reason `code` (Core 5.4 Vol 1 Part F 1.3).
  public static func disconnected(code: UInt8? = nil) -> EventPattern {
    EventPattern(["disconnected"], ["code": code.map { .int(Int64($0)) }], where: nil)
  }

  /// Matches a central's read of a characteristic.
  public static func read(of characteristic: String, where condition: Condition? = nil) -> EventPattern {
    EventPattern("read", ["characteristic": .string(characteristic)], where: condition)
  }

  /// Matches a central's write of a characteristic: of any value, or of `value` in the characteristic's format.
  public static func write(
    to characteristic: String, value: ProfileValue? = nil, where condition: Condition? = nil
  ) -> EventPattern {
    EventPattern(["write"], ["characteristic": .string(characteristic), "value": value], where: condition)
  }

  /// Matches a central's subscription to a characteristic.
  public static func subscribed(to characteristic: String) -> EventPattern {
    EventPattern("subscribed", ["characteristic": .string(characteristic)])
  }

  /// Matches the end of a central's subscription to a characteristic, even if it ends with the link.
  public static func unsubscribed(from characteristic: String) -> EventPattern {
    EventPattern("unsubscribed", ["characteristic": .string(characteristic)])
  }

  /// Matches a notification or an indication that an accessory sends of a characteristic.
  public static func sent(_ characteristic: String, where condition: Condition? = nil) -> EventPattern {
    EventPattern(["notified", "indicated"], ["characteristic": .string(characteristic)], where: condition)
  }

  /// Matches a notification or an indication that a central receives of a characteristic: with any value, or with `value` in the
  /// characteristic's format.
  public static func value(
    of characteristic: String, _ value: ProfileValue? = nil, where condition: Condition? = nil
  ) -> EventPattern {
    EventPattern(
      ["remote-notification", "remote-indication"], ["characteristic": .string(characteristic), "value": value],
      where: condition)
  }

  /// Matches a successful pairing.
  public static var paired: EventPattern { EventPattern("paired") }

  /// Matches a failed pairing.
  public static var pairingFailed: EventPattern { EventPattern("pairing-failed") }

  /// Matches a refusal by the accessory.
  public static var refused: EventPattern { EventPattern("refused") }

  /// Matches a fault that fires: any fault, or the one with this id.
  public static func fault(_ id: String? = nil) -> EventPattern {
    EventPattern(["fault"], ["fault": id.map { .string($0) }], where: nil)
  }

  /// Matches the profile's change to a state.
  public static func state(_ state: String) -> EventPattern { EventPattern("state", ["state": .string(state)]) }

  /// Matches an SDU received on a channel.
  public static var sdu: EventPattern { EventPattern("sdu") }
}
