import AccessoryProfile
import BLECore

extension RuleReport {
  /// The event's name and fields.
  package var described: (name: String, fields: [String: ProfileValue]) {
    switch self {
    case .entered(let state): ("state", ["state": .string(state)])
    case .asleep: ("asleep", [:])
    case .awake: ("awake", [:])
    case .failed(let place, let reason):
      ("rule-failed", ["place": .string(place), "reason": .string(reason)])
    case .gap(let gap): ("write-gap", gap.fields)
    case .changed(_, let octets): ("value-changed", ["hex": .string(octets.hexadecimal)])
    }
  }
}

extension WriteGap {
  fileprivate var fields: [String: ProfileValue] {
    var fields: [String: ProfileValue] = [
      "connection": .int(Int64(client.rawValue)), "expected": .int(Int64(expected)), "number": .int(Int64(number)),
    ]
    fields["missing"] = missing.map { .int(Int64($0)) }
    return fields
  }
}
