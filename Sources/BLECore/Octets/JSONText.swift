/// JSON (RFC 8259) in a buffer.
extension OctetBuffer {
  /// Appends text as a JSON string.
  package mutating func append(quoted text: String) {
    appendQuoted { $0.append(text) }
  }

  /// Appends the text that `write` appends as a JSON string.
  package mutating func appendQuoted(_ write: (inout OctetBuffer) -> Void) {
    append(UInt8(ascii: "\""))
    let start = count
    write(&self)
    // Most text needs no escaping. Going through it by characters would take ten times as long.
    if !isPlain(from: start) {
      for scalar in removeText(from: start).unicodeScalars { append(escaped: scalar) }
    }
    append(UInt8(ascii: "\""))
  }

  /// Begins the next field of an object, whose value follows.
  package mutating func appendKey(_ name: String) {
    if self[count - 1] != UInt8(ascii: "{") { append(UInt8(ascii: ",")) }
    append(UInt8(ascii: "\""))
    append(name)
    append("\":")
  }

  /// Returns whether everything from `start` on needs no escaping.
  private borrowing func isPlain(from start: Int) -> Bool {
    isPrintable(from: start)
      && !contains(UInt8(ascii: "\""), from: start) && !contains(UInt8(ascii: "\\"), from: start)
  }

  private mutating func append(escaped scalar: Unicode.Scalar) {
    switch scalar {
    case "\"": append("\\\"")
    case "\\": append("\\\\")
    case "\n": append("\\n")
    case "\r": append("\\r")
    case "\t": append("\\t")
    // Control characters up to 0x1F must be escaped. The other control characters and those that change the
    // writing direction are escaped too, because this text is shown in terminals.
    case _ where scalar.isActive:
      let digits = String(scalar.value, radix: 16)
      append("\\u" + String(repeating: "0", count: 4 - digits.count) + digits)
    default: append(String(scalar))
    }
  }
}

extension Unicode.Scalar {
  /// Whether a terminal acts on it: control characters, including those above 0x7F, line separators, and characters that change the
  /// writing direction (Unicode Standard Annex 9, 2).
  package var isActive: Bool {
    switch value {
    case 0...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
    default: false
    }
  }
}
