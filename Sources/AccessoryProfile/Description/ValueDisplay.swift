/// How the dashboard shows a value or a field of one, if the profile says so. It changes nothing on the air.
public struct ValueDisplay: Hashable, Sendable {
  /// What it is shown as; nil for what the dashboard chooses by the format.
  public var kind: Kind?
  /// The least number of a gauge, or the number that means off; nil for none.
  public var from: Double?
  /// The greatest number of a gauge, or the number that means on; nil for none.
  public var to: Double?
  /// The unit to show instead of that of the format; nil for that of the format.
  public var unit: String?
  /// The text to show instead of the id or the name; nil for that.
  public var label: String?
  /// The fields that are shown in another way, by name.
  public var fields: [String: ValueDisplay] = [:]

  /// What a value is shown as.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    case number, gauge
    case onOff = "switch"
    case color, text, octets, hidden
  }

  /// The keys of profiles, as `show` has them.
  public var described: ProfileValue {
    var pairs: [String: ProfileValue] = [:]
    pairs["as"] = kind.map { .string($0.rawValue) }
    pairs["from"] = from.map { .number($0) }
    pairs["to"] = to.map { .number($0) }
    pairs["unit"] = unit.map { .string($0) }
    pairs["label"] = label.map { .string($0) }
    if !fields.isEmpty { pairs["fields"] = .object(fields.mapValues(\.described)) }
    return .object(pairs)
  }
}
