import AccessoryProfile
import BLECore

/// Values as the text of a profile.
enum ValueText {
  /// Returns a value as YAML in flow style; nil for a value that a profile cannot write.
  static func yaml(_ value: ProfileValue) -> String? {
    if let octets = value.octets { return octets.isEmpty ? "\"\"" : "hex:\(octets.hexadecimal)" }
    switch value {
    case .null: return nil
    case .bool(let flag): return flag ? "true" : "false"
    case .int(let number): return String(number)
    case .unsigned(let number): return String(number)
    case .double(let number):
      // All digits, so that the octets stay the same.
      let text = "\(number)"
      return text.contains("e") || !number.isFinite ? nil : text
    case .string(let text): return self.text(text)
    case .array(let members):
      let parts = members.compactMap { yaml($0) }
      return parts.count == members.count ? "[\(parts.joined(separator: ", "))]" : nil
    case .object(let fields):
      let parts = fields.sorted { $0.key < $1.key }.compactMap { key, value in yaml(value).map { "\(key): \($0)" } }
      return parts.count == fields.count ? "{ \(parts.joined(separator: ", ")) }" : nil
    }
  }

  /// Returns a number without needless digits.
  static func number(_ number: Double) -> String {
    let rounded = (number * 1_000).rounded() / 1_000
    if rounded == rounded.rounded(), abs(rounded) < 1e15 { return String(Int64(rounded)) }
    return "\(rounded)"
  }

  /// Returns a text, in quotes unless it is plain words.
  static func text(_ text: String) -> String {
    let isWord =
      text.first?.isLetter == true && text.last != " " && text.unicodeScalars.allSatisfy { isPlain($0) }
      && !["true", "false", "null", "yes", "no", "on", "off", "y", "n"].contains(text.lowercased())
      && !text.hasPrefix("hex") && !text.hasPrefix("uuid")
    return isWord ? text : quoted(text)
  }

  private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar {
    case "a"..."z", "A"..."Z", "0"..."9", "-", "_", " ": true
    default: false
    }
  }

  /// Returns a text in double quotes, with YAML's escapes.
  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\0"..<" ", "\u{7F}"..."\u{9F}", "\u{2028}", "\u{2029}", "\u{FEFF}":
        result += "\\u" + String(0x10000 + scalar.value, radix: 16).dropFirst()
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// Returns a duration in the unit in which it is a short number, rounded unless it is exact.
  static func duration(_ seconds: Double, exact: Bool = false) -> String {
    let milliseconds = seconds * 1_000
    if exact { return "\(number(milliseconds)) ms" }
    // The roundest number that is close enough.
    for unit in [60_000.0, 10_000, 1_000, 500, 100, 50, 10, 5, 1] {
      let rounded = (milliseconds / unit).rounded() * unit
      guard rounded > 0, abs(rounded - milliseconds) <= milliseconds * 0.015 else { continue }
      if rounded >= 120_000, rounded.truncatingRemainder(dividingBy: 60_000) == 0 {
        return "\(number(rounded / 60_000)) min"
      }
      return rounded >= 1_000 ? "\(number(rounded / 1_000)) s" : "\(number(rounded)) ms"
    }
    return "\(number(max(1, milliseconds.rounded()))) ms"
  }
}
