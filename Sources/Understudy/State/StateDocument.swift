import AccessoryProfile
import BLECore

/// The text of a file of the store: a JSON object with the fields of its content, `kind`, `version`, and in
/// its first line `check`, a CRC-32 of all octets after that line.
///
/// To a JSON parser, a key with one wrong digit is as good as any other, so the check finds what the syntax
/// does not. To edit a file by hand, remove the line: a file without it is accepted as it is.
enum StateDocument {
  /// The kind of file.
  enum Kind: String {
    case identity, runtime, bond, central

    /// The maximum size of such a file, in octets.
    var limit: Int {
      switch self {
      case .runtime, .central: 4 * 1024 * 1024
      case .identity, .bond: 64 * 1024
      }
    }
  }

  /// The version of all files. Files of another version are set aside, so change it only if necessary.
  static let version = 1

  private static let opening = Array("{\n  \"check\": \"".utf8)
  private static let closing = Array("\",\n".utf8)
  private static let digits = 8

  /// Returns the text of a file with these fields.
  static func encode(_ kind: Kind, _ fields: [String: ProfileValue]) -> [UInt8] {
    var fields = fields
    fields["kind"] = .string(kind.rawValue)
    fields["version"] = .int(Int64(version))
    let text = Array(ProfileValue.object(fields).indentedJSONText.utf8)
    // The indented text of an object begins with a brace on a line of its own.
    let rest = Array(text.dropFirst(2))
    return opening + Array(checkDigits(of: rest[...]).utf8) + closing + rest
  }

  /// Returns the fields of a file. Throws if it is invalid.
  static func decode(_ octets: [UInt8], _ kind: Kind) throws(StateFault) -> [String: ProfileValue] {
    var text = octets
    if octets.starts(with: opening) {
      let check = octets.dropFirst(opening.count).prefix(digits)
      let rest = octets.dropFirst(opening.count + digits)
      guard rest.starts(with: closing) else { throw .damaged("the line 'check' is incomplete") }
      let covered = rest.dropFirst(closing.count)
      guard check.elementsEqual(checkDigits(of: covered).utf8) else {
        throw .damaged(
          "its content does not match its check: it was truncated, damaged, or edited (when you edit it, remove "
            + "the line 'check')"
        )
      }
      text = [UInt8(ascii: "{")] + covered
    }
    let value: ProfileValue
    do throws(ProfileValueError) { value = try ProfileValue(json: text) } catch {
      throw .damaged("it is not JSON: \(error.message)")
    }
    guard case .object(var fields) = value else { throw .damaged("it is not a JSON object") }
    guard case .int(let found) = fields.removeValue(forKey: "version") else { throw .damaged("its version is missing") }
    guard found == Int64(version) else { throw .version(found) }
    guard fields.removeValue(forKey: "kind") == .string(kind.rawValue) else {
      throw .damaged("its kind is not \(kind.rawValue)")
    }
    return fields
  }

  private static func checkDigits(of octets: ArraySlice<UInt8>) -> String {
    let check = CRC32.checksum(of: octets)
    return (0..<4).reversed().map { UInt8(truncatingIfNeeded: check >> (8 * UInt32($0))) }.hexadecimal
  }
}

/// CRC-32 of ISO 3309 and Ethernet (polynomial 0x04C11DB7, reflected).
enum CRC32 {
  private static let table: [UInt32] = (0..<256).map { octet in
    (0..<8).reduce(UInt32(octet)) { sum, _ in sum & 1 == 1 ? sum >> 1 ^ 0xEDB8_8320 : sum >> 1 }
  }

  static func checksum(of octets: ArraySlice<UInt8>) -> UInt32 {
    let table = Self.table
    return ~octets.reduce(~0) { sum, octet in sum >> 8 ^ table[Int(UInt8(truncatingIfNeeded: sum) ^ octet)] }
  }
}
