/// Text in a buffer. It is appended piece by piece, because a string for each piece would take many times as long.
extension OctetBuffer {
  /// Appends text as UTF-8.
  package mutating func append(_ text: String) {
    var text = text
    text.withUTF8 { octets in
      appendUnsafe(capacity: octets.count) { place in
        place.copyMemory(from: UnsafeRawBufferPointer(octets))
        return octets.count
      }
    }
  }

  /// Appends a number in decimal, with zeros in front up to this width.
  package mutating func append(decimal number: Int64, width: Int = 1) {
    if number < 0 { append(UInt8(ascii: "-")) }
    append(decimal: number.magnitude, width: width)
  }

  /// Appends a number in decimal, with zeros in front up to this width.
  package mutating func append(decimal number: UInt64, width: Int = 1) {
    var digits = 1
    var rest = number / 10
    while rest > 0 {
      digits += 1
      rest /= 10
    }
    digits = max(digits, width)
    appendUnsafe(capacity: digits) { place in
      var rest = number
      for position in stride(from: digits - 1, through: 0, by: -1) {
        place[position] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10)
        rest /= 10
      }
      return digits
    }
  }

  /// Appends a number in hexadecimal, with zeros in front up to this width: `0x0040`.
  package mutating func append(hexadecimalNumber number: UInt64, width: Int) {
    let digits = max(width, (64 - number.leadingZeroBitCount + 3) / 4)
    append("0x")
    appendUnsafe(capacity: digits) { place in
      for position in 0..<digits {
        let shift = UInt64(digits - 1 - position) * 4
        place[position] = Hexadecimal.upper.utf8Start[Int(shift < 64 ? number >> shift & 0xF : 0)]
      }
      return digits
    }
  }

  /// Appends a little-endian number in hexadecimal: `0x0040`.
  package mutating func append(hexadecimalNumber octets: ArraySlice<UInt8>) {
    append("0x")
    appendUnsafe(capacity: octets.count * 2) { place in
      var position = octets.count * 2
      for octet in octets {
        position -= 2
        place[position] = Hexadecimal.upper.utf8Start[Int(octet >> 4)]
        place[position + 1] = Hexadecimal.upper.utf8Start[Int(octet & 0xF)]
      }
      return octets.count * 2
    }
  }

  /// Appends a device address: six octets in hexadecimal, most significant first, separated by colons.
  package mutating func append(_ address: DeviceAddress) {
    appendUnsafe(capacity: 17) { place in
      for position in 0..<6 {
        let octet = UInt8(truncatingIfNeeded: address.bits >> (8 * UInt64(5 - position)))
        place[position * 3] = Hexadecimal.upper.utf8Start[Int(octet >> 4)]
        place[position * 3 + 1] = Hexadecimal.upper.utf8Start[Int(octet & 0xF)]
        if position < 5 { place[position * 3 + 2] = UInt8(ascii: ":") }
      }
      return 17
    }
  }

  /// Appends octets as lower-case hexadecimal digits, without separators.
  package mutating func append(hexadecimal octets: ArraySlice<UInt8>) {
    appendUnsafe(capacity: octets.count * 2) { place in
      var position = 0
      for octet in octets {
        place[position] = Hexadecimal.lower.utf8Start[Int(octet >> 4)]
        place[position + 1] = Hexadecimal.lower.utf8Start[Int(octet & 0xF)]
        position += 2
      }
      return position
    }
  }

  /// Appends spaces until the text that begins at `start` has this width.
  package mutating func pad(from start: Int, to width: Int) {
    let missing = max(0, width - (count - start))
    appendUnsafe(capacity: missing) { place in
      for position in 0..<missing { place[position] = UInt8(ascii: " ") }
      return missing
    }
  }

  /// Replaces an octet by another, from `start` on.
  package mutating func replace(_ octet: UInt8, with other: UInt8, from start: Int) {
    for place in start..<count where base[place] == octet { base[place] = other }
  }

  /// Returns whether all octets from `start` on are printable characters of ASCII.
  package borrowing func isPrintable(from start: Int) -> Bool {
    for place in start..<count where !(0x20...0x7E).contains(base[place]) { return false }
    return true
  }

  /// Returns whether an octet occurs from `start` on.
  package borrowing func contains(_ octet: UInt8, from start: Int) -> Bool {
    for place in start..<count where base[place] == octet { return true }
    return false
  }

  /// Removes the text that begins at `start`, and returns it.
  package mutating func removeText(from start: Int) -> String {
    defer { truncate(to: start) }
    return String(decoding: base[start..<count], as: UTF8.self)
  }
}

extension String {
  /// Creates the text that `write` appends to a buffer.
  package init(_ write: (inout OctetBuffer) -> Void) {
    var buffer = OctetBuffer(minimumCapacity: 256)
    write(&buffer)
    self = buffer.removeText(from: 0)
  }

  /// Creates the digits of a little-endian number: `0x0040`.
  package init(hexadecimalNumber octets: ArraySlice<UInt8>) {
    self.init(unsafeUninitializedCapacity: 2 + octets.count * 2) { place in
      place[0] = UInt8(ascii: "0")
      place[1] = UInt8(ascii: "x")
      var position = 2 + octets.count * 2
      for octet in octets {
        position -= 2
        place[position] = Hexadecimal.upper.utf8Start[Int(octet >> 4)]
        place[position + 1] = Hexadecimal.upper.utf8Start[Int(octet & 0xF)]
      }
      return 2 + octets.count * 2
    }
  }
}
