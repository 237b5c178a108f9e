import AccessoryProfile

/// Values in the notation of profiles.
package enum ValueText {
  /// Returns octets in the notation of a format; nil if they do not fit it, or if reading the text would give other octets.
  static func text(of octets: [UInt8], in format: ValueFormat) -> String? {
    if case .hex = format { return YAMLScalar.octets(octets) }
    let value = format.decode(octets)
    guard value.octets == nil, let again = try? format.encode(value), again == octets else { return nil }
    return text(of: value, in: format)
  }

  /// Returns a value in the notation of a format; nil if there is none.
  package static func text(of value: ProfileValue, in format: ValueFormat?) -> String? {
    switch value {
    case .null: return nil
    case .bool(let flag): return "\(flag)"
    case .int(let number): return "\(number)"
    case .unsigned(let number): return "\(number)"
    case .double(let number): return decimal(number)
    case .string(let text): return YAMLScalar.text(text)
    case .array(let elements):
      var member: ValueFormat?
      if case .list(let inner, _) = format { member = inner }
      let parts = elements.compactMap { text(of: $0, in: member) }
      return parts.count == elements.count ? "[\(parts.joined(separator: ", "))]" : nil
    case .object(let fields):
      if let octets = value.octets { return YAMLScalar.octets(octets) }
      return text(of: fields, in: format)
    }
  }

  /// Returns fields in the order of the format.
  private static func text(of fields: [String: ProfileValue], in format: ValueFormat?) -> String? {
    let order = format?.fields ?? []
    let names = fields.keys.sorted { first, second in
      let places = [first, second].map { name in order.firstIndex { $0.name == name } ?? order.count }
      return places[0] == places[1] ? first < second : places[0] < places[1]
    }
    var parts: [String] = []
    for name in names {
      guard let value = fields[name],
        let text = text(of: value, in: order.first { $0.name == name }?.format)
      else { return nil }
      parts.append("\(name): \(text)")
    }
    return "{ \(parts.joined(separator: ", ")) }"
  }

  private static func decimal(_ number: Double) -> String? {
    guard number.isFinite, abs(number) < 1e15, number == 0 || abs(number) >= 1e-4 else { return nil }
    return number == number.rounded() ? "\(Int64(number))" : "\(number)"
  }
}
