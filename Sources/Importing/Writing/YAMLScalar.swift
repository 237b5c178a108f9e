import AccessoryProfile
import BLECore

/// Scalars and comments of YAML.
package enum YAMLScalar {
  /// Returns a text, in quotes only if YAML would otherwise read something else, in a flow mapping or elsewhere.
  package static func text(_ text: String) -> String { isPlain(text) ? text : quoted(text) }

  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic, first.isASCII, text.last != " ",
      !["true", "false", "null", "yes", "no"].contains(text.lowercased())
    else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII
        && (scalar.properties.isAlphabetic || ("0"..."9").contains(scalar)
          || " ._/()+-".unicodeScalars.contains(scalar))
    }
  }

  /// Returns a text in double quotes (YAML 1.1, 5.7).
  package static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case "\r": result += "\\r"
      default:
        if isPrintable(scalar) {
          result.unicodeScalars.append(scalar)
        } else {
          let digits = String(scalar.value, radix: 16, uppercase: true)
          result += "\\U" + String(repeating: "0", count: 8 - digits.count) + digits
        }
      }
    }
    return result + "\""
  }

  /// Whether a YAML text can contain a scalar, and showing it cannot disturb a terminal.
  private static func isPrintable(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0..<0x20, 0x7F..<0xA0, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069, 0xFEFF, 0xFFFE, 0xFFFF: false
    default: true
    }
  }

  /// Returns octets in the notation of profiles.
  static func octets(_ octets: some Collection<UInt8>) -> String {
    octets.isEmpty ? "\"\"" : "hex:\(octets.hexadecimal)"
  }

  /// Returns a UUID by its assigned name, or as digits.
  static func uuid(_ uuid: BluetoothUUID, _ kind: AssignedName.Kind) -> String {
    guard let name = uuid.assignedName, AssignedName.uuid(named: name.name, kind: kind) == uuid else {
      return uuid.description
    }
    // The language knows names without words such as `characteristic`.
    for short in [name.name.dropping("characteristic-"), name.name.dropping(suffix: "-string")] {
      if let short, AssignedName.uuid(named: short, kind: kind) == uuid { return short }
    }
    return name.name
  }

  /// Returns a duration in the largest unit that needs no fraction, or in milliseconds.
  static func duration(_ duration: Duration) -> String {
    let microseconds = duration.inMicroseconds
    for (unit, size) in [
      ("d", Int64(86_400_000_000)), ("h", 3_600_000_000), ("min", 60_000_000), ("s", 1_000_000), ("ms", 1000),
    ]
    where microseconds != 0 && microseconds.isMultiple(of: size) {
      return "\(microseconds / size) \(unit)"
    }
    return microseconds == 0 ? "0 s" : "\(Double(microseconds) / 1000) ms"
  }

  /// Returns comments as lines that fit a width. Scalars that a comment cannot contain become U+FFFD.
  static func commentLines(_ comments: [String], width: Int) -> [String] {
    comments.flatMap { comment -> [String] in
      var lines: [String] = []
      for part in comment.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
        var line = ""
        for word in part.split(separator: " ") {
          let word = String(String.UnicodeScalarView(word.unicodeScalars.map { isPrintable($0) ? $0 : "\u{FFFD}" }))
          if !line.isEmpty, line.count + word.count + 3 > width {
            lines.append(line)
            line = ""
          }
          line += line.isEmpty ? word : " \(word)"
        }
        lines.append(line)
      }
      return lines
    }
  }
}

extension String {
  /// Returns the text without a prefix; nil if it does not begin with it.
  fileprivate func dropping(_ prefix: String) -> String? {
    hasPrefix(prefix) ? String(dropFirst(prefix.count)) : nil
  }

  /// Returns the text without a suffix; nil if it does not end with it.
  fileprivate func dropping(suffix: String) -> String? {
    hasSuffix(suffix) ? String(dropLast(suffix.count)) : nil
  }
}
