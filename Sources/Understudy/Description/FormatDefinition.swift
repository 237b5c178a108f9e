import AccessoryProfile

extension ValueFormat {
  /// The format as a profile could write it, in JSON: fields in their order, and every format spelled out
  /// instead of referred to by name. Another program can decode values with it (`init(definition:)`).
  package var definition: String { spelledOut.described.definitionText }

  /// The format with references to named formats replaced.
  fileprivate var spelledOut: ValueFormat {
    switch self {
    case .structure(let layout): .structure(StructFormat(layout.members.map(\.spelledOut)))
    case .list(let member, let extent): .list(member.spelledOut, extent)
    default: self
    }
  }
}

extension ValueFormat.Field {
  fileprivate var spelledOut: ValueFormat.Field {
    var field = self
    field.format = format.spelledOut
    return field
  }
}

extension ProfileValue {
  /// JSON in which the lists that `described` makes of fields are mappings again, in the same order.
  fileprivate var definitionText: String {
    switch self {
    case .object(let keys):
      let pairs = keys.sorted { $0.key < $1.key }.map { key, value in
        if ["struct", "bits"].contains(key), case .array(let fields) = value {
          return "\(Self.string(key).jsonText): {\(fields.compactMap(\.pairText).joined(separator: ", "))}"
        }
        if ["names", "flags", "special"].contains(key), case .object(let names) = value {
          return "\(Self.string(key).jsonText): {\(Self.text(ofNames: names))}"
        }
        return "\(Self.string(key).jsonText): \(value.definitionText)"
      }
      return "{\(pairs.joined(separator: ", "))}"
    case .array(let elements): return "[\(elements.map(\.definitionText).joined(separator: ", "))]"
    default: return jsonText
    }
  }

  /// Returns the names in the order of their numbers, which is how values show them.
  private static func text(ofNames names: [String: ProfileValue]) -> String {
    names.sorted { ($0.value.number ?? 0, $0.key) < ($1.value.number ?? 0, $1.key) }
      .map { "\(Self.string($0.key).jsonText): \($0.value.jsonText)" }.joined(separator: ", ")
  }

  /// The only pair of an object, as text.
  private var pairText: String? {
    guard case .object(let keys) = self, let pair = keys.first else { return nil }
    return "\(Self.string(pair.key).jsonText): \(pair.value.definitionText)"
  }
}
