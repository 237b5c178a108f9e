/// A key of a terminal.
package enum ScreenKey: Hashable, Sendable {
  case character(Character)
  case up, down, left, right, pageUp, pageDown, home, end
  case enter, escape, backspace, tab
  /// Control with this letter.
  case control(Character)
}

/// Finds the keys in the octets from a terminal (ECMA-48, and the sequences of xterm and the Linux console).
package struct KeyParser: Sendable {
  /// The incomplete sequence or character at the end of the last octets.
  private var kept: [UInt8] = []
  private static let limit = 16

  package init() {}

  /// Returns the keys in octets that arrived together. An escape at the end is the Escape key.
  package mutating func keys(in octets: some Sequence<UInt8>) -> [ScreenKey] {
    var rest = (kept + octets)[...]
    kept = []
    var keys: [ScreenKey] = []
    while let first = rest.first {
      if first == 0x1B {
        guard takeSequence(&rest, &keys) else { return keys }
      } else if first < 0x20 || first == 0x7F {
        rest.removeFirst()
        if let key = Self.control(first) { keys.append(key) }
      } else {
        guard takeCharacter(&rest, &keys) else { return keys }
      }
    }
    return keys
  }

  private static func control(_ octet: UInt8) -> ScreenKey? {
    switch octet {
    case 0x09: .tab
    case 0x0A, 0x0D: .enter
    case 0x08, 0x7F: .backspace
    case 0x01...0x1A: .control(Character(UnicodeScalar(octet + 0x60)))
    default: nil
    }
  }

  /// Returns false if the rest of the character is missing.
  private mutating func takeCharacter(_ rest: inout ArraySlice<UInt8>, _ keys: inout [ScreenKey]) -> Bool {
    let first = rest[rest.startIndex]
    let length: Int
    switch first {
    case ..<0x80: length = 1
    case 0xC2..<0xE0: length = 2
    case 0xE0..<0xF0: length = 3
    case 0xF0..<0xF5: length = 4
    default:
      // No UTF-8 character begins with this octet (Unicode Standard 3.9, table 3-7).
      rest.removeFirst()
      return true
    }
    guard rest.count >= length else {
      kept = Array(rest)
      return false
    }
    if let text = String(validating: rest.prefix(length), as: UTF8.self), let character = text.first {
      keys.append(.character(character))
      rest = rest.dropFirst(length)
    } else {
      rest.removeFirst()
    }
    return true
  }

  private mutating func takeSequence(_ rest: inout ArraySlice<UInt8>, _ keys: inout [ScreenKey]) -> Bool {
    let start = rest.startIndex
    guard rest.count > 1 else {
      rest.removeFirst()
      keys.append(.escape)
      return true
    }
    guard rest[start + 1] == UInt8(ascii: "[") || rest[start + 1] == UInt8(ascii: "O") else {
      rest.removeFirst()
      keys.append(.escape)
      return true
    }
    // Parameters, then one octet that ends the sequence.
    guard let end = rest[(start + 2)...].firstIndex(where: { (0x40...0x7E).contains($0) }) else {
      if rest.count < Self.limit { kept = Array(rest) } else { rest = [] }
      return false
    }
    let parameters = String(decoding: rest[(start + 2)..<end], as: UTF8.self)
    if let key = Self.key(rest[end], parameters) { keys.append(key) }
    rest = rest[(end + 1)...]
    return true
  }

  private static func key(_ final: UInt8, _ parameters: String) -> ScreenKey? {
    switch (final, parameters) {
    case (UInt8(ascii: "A"), _): .up
    case (UInt8(ascii: "B"), _): .down
    case (UInt8(ascii: "C"), _): .right
    case (UInt8(ascii: "D"), _): .left
    case (UInt8(ascii: "H"), _): .home
    case (UInt8(ascii: "F"), _): .end
    case (UInt8(ascii: "~"), "1"), (UInt8(ascii: "~"), "7"): .home
    case (UInt8(ascii: "~"), "4"), (UInt8(ascii: "~"), "8"): .end
    case (UInt8(ascii: "~"), "5"): .pageUp
    case (UInt8(ascii: "~"), "6"): .pageDown
    default: nil
    }
  }
}
