import BLECore
import BLEGAP

extension ClassicSettings.Discoverability {
  /// The word in profiles: `general`, `no`, or the time in limited discoverable mode.
  package var word: String {
    switch self {
    case .none: "no"
    case .general: "general"
    case .limited(let time): Durations.text(time)
    }
  }

  /// Creates the value for a word of profiles; nil for other words, and for times that are not possible.
  package init?(word: String) {
    switch word {
    case "no": self = .none
    case "general": self = .general
    default:
      guard let time = Durations.parse(word), ClassicSettings.limitedTimes.contains(time) else { return nil }
      self = .limited(time)
    }
  }
}

extension ClassicModes {
  /// The modes that change, as in a rule's effects.
  package var described: ProfileValue {
    var fields: [String: ProfileValue] = [:]
    fields["discoverable"] = discoverability.map { .string($0.word) }
    fields["connectable"] = isConnectable.map { .bool($0) }
    return .object(fields)
  }
}
