import BLECore

/// Values that several formats write in the same way.
enum ValueReading {
  /// Returns the octets of hexadecimal digits, with or without a leading 0x, and with spaces, commas, colons or hyphens between octets.
  static func octets(_ text: String) -> [UInt8]? {
    let parts = text.split { $0 == " " || $0 == "," || $0 == "\n" || $0 == "\t" || $0 == "\r" }
    var octets: [UInt8] = []
    for part in parts {
      let digits = part.hasPrefix("0x") || part.hasPrefix("0X") ? part.dropFirst(2) : part
      guard let more = [UInt8](hexadecimal: digits.count == 1 ? "0\(digits)" : String(digits)) else { return nil }
      octets += more
    }
    return octets
  }

  /// Returns a UUID in any of the usual notations: with or without 0x, braces or hyphens.
  static func uuid(_ text: String) -> BluetoothUUID? {
    var text = text.trimmingWhitespace
    if text.hasPrefix("{"), text.hasSuffix("}") { text = String(text.dropFirst().dropLast()) }
    if let uuid = BluetoothUUID(text) { return uuid }
    let digits = text.hasPrefix("0x") || text.hasPrefix("0X") ? String(text.dropFirst(2)) : text
    guard digits.utf8.count == 32, let octets = [UInt8](hexadecimal: digits), octets.count == 16 else { return nil }
    return BluetoothUUID(littleEndianOctets: octets.reversed())
  }

  /// The maximum length of a value in octets (Core 5.4 Vol 3 Part F 3.2.9).
  static let longest = 512
}

extension ImportContext {
  /// Returns a UUID, or warns that there is none.
  mutating func uuid(
    _ text: String?, of what: String, _ kind: AssignedName.Kind, in source: ImportSource, at offset: Int
  ) -> BluetoothUUID? {
    guard let text else {
      log.warn(source, offset, "the \(what) has no UUID, so it is left out")
      return nil
    }
    guard let uuid = ValueReading.uuid(text) ?? AssignedName.uuid(named: text, kind: kind) else {
      log.warn(
        source, offset,
        "'\(text)' is not a UUID (4, 8 or 32 hexadecimal digits), so the \(what) is left out")
      return nil
    }
    return uuid
  }

  /// Returns the octets, or warns and cuts them if they are too long for a value.
  mutating func value(_ octets: [UInt8], in source: ImportSource, at offset: Int) -> [UInt8] {
    guard octets.count > ValueReading.longest else { return octets }
    log.warn(source, offset, "the value has \(octets.count) octets; it is cut after \(ValueReading.longest)")
    return Array(octets.prefix(ValueReading.longest))
  }
}
