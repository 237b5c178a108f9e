/// The Concise Binary Object Representation (RFC 8949) of the values of expressions.
enum CBOR {
  /// The maximum nesting depth of arrays and maps.
  static let deepest = 16

  /// Decodes one data item. Returns nil if the octets are invalid or other octets follow the item.
  static func read(_ octets: [UInt8]) -> ExpressionValue? {
    var reader = CBORReader(octets)
    guard let value = reader.item(depth: 0), reader.isAtEnd else { return nil }
    return value
  }

  /// Encodes a value deterministically: lengths and integers as short as possible, map keys in the order of their octets (RFC 8949 4.2.1).
  static func write(_ value: ExpressionValue) throws(ExpressionError) -> [UInt8] {
    var octets: [UInt8] = []
    append(value, to: &octets)
    guard octets.count <= ExpressionValue.longest else {
      throw ExpressionError("the result would exceed \(ExpressionValue.longest) octets")
    }
    return octets
  }

  private static func append(_ value: ExpressionValue, to octets: inout [UInt8]) {
    switch value {
    case .whole(let number) where number < 0: head(1, UInt64(bitPattern: ~number), to: &octets)
    case .whole(let number): head(0, UInt64(number), to: &octets)
    case .octets(let content):
      head(2, UInt64(content.count), to: &octets)
      octets += content
    case .text(let text):
      head(3, UInt64(text.utf8.count), to: &octets)
      octets += text.utf8
    case .list(let members):
      head(4, UInt64(members.count), to: &octets)
      for member in members { append(member, to: &octets) }
    case .fields(let fields):
      head(5, UInt64(fields.count), to: &octets)
      // A shorter name has a smaller head, and so is sorted first.
      let ordered = fields.sorted { left, right in
        left.key.utf8.count == right.key.utf8.count
          ? left.key.utf8.lexicographicallyPrecedes(right.key.utf8) : left.key.utf8.count < right.key.utf8.count
      }
      for (name, value) in ordered {
        append(.text(name), to: &octets)
        append(value, to: &octets)
      }
    case .boolean(let flag): octets.append(flag ? 0xF5 : 0xF4)
    case .nothing: octets.append(0xF6)
    case .real(let number):
      octets.append(0xFB)
      octets += (0..<8).map { UInt8(truncatingIfNeeded: number.bitPattern >> (56 - $0 * 8)) }
    }
  }

  /// Appends the first octets of an item: its major type, and a number in as few octets as possible.
  private static func head(_ type: UInt8, _ number: UInt64, to octets: inout [UInt8]) {
    let width =
      switch number {
      case ..<24: 0
      case ...0xFF: 1
      case ...0xFFFF: 2
      case ...0xFFFF_FFFF: 4
      default: 8
      }
    let code = width == 0 ? UInt8(number) : 24 + UInt8(width.trailingZeroBitCount)
    octets.append(type << 5 | code)
    octets += (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64((width - 1 - $0) * 8)) }
  }
}

/// Reads consecutive data items. Everything returns nil if the octets are invalid.
private struct CBORReader {
  private let octets: [UInt8]
  private var place = 0
  /// The octet that ends an item of indefinite length.
  private static let stop: UInt8 = 0xFF

  init(_ octets: [UInt8]) { self.octets = octets }

  var isAtEnd: Bool { place == octets.count }

  mutating func item(depth: Int) -> ExpressionValue? {
    guard depth <= CBOR.deepest, let first = take(1)?.first else { return nil }
    let (type, code) = (first >> 5, first & 0x1F)
    if type == 7 { return simple(code) }
    if code == 31 { return unbounded(type, depth: depth) }
    guard let number = number(code) else { return nil }
    switch type {
    case 0: return Int64(exactly: number).map { .whole($0) } ?? .real(Double(number))
    case 1: return Int64(exactly: number).map { .whole(~$0) } ?? .real(-1 - Double(number))
    case 2, 3: return Int(exactly: number).flatMap { string(type, $0) }
    case 4, 5:
      // Every member takes at least one octet, so a wrong length costs nothing.
      guard number <= UInt64(octets.count - place) else { return nil }
      return members(type, depth: depth) { $0 < number }
    // A tag qualifies the item that follows. The item is read without it.
    default: return item(depth: depth + 1)
    }
  }

  private mutating func string(_ type: UInt8, _ length: Int) -> ExpressionValue? {
    guard let content = take(length) else { return nil }
    if type == 2 { return .octets(Array(content)) }
    return String(validating: content, as: UTF8.self).map { .text($0) }
  }

  /// Reads the members of an array, or the names and values of a map, while there are more.
  private mutating func members(
    _ type: UInt8, depth: Int, while isMore: (UInt64) -> Bool
  ) -> ExpressionValue? {
    var list: [ExpressionValue] = []
    var fields: [String: ExpressionValue] = [:]
    var count: UInt64 = 0
    while isMore(count) {
      if isStop() { return nil }
      guard let member = item(depth: depth + 1) else { return nil }
      if type == 4 {
        list.append(member)
      } else {
        guard let name = name(member), let value = item(depth: depth + 1) else { return nil }
        fields[name] = value
      }
      count += 1
    }
    return type == 4 ? .list(list) : .fields(fields)
  }

  /// Reads an item of indefinite length: an array, a map, or a string in several parts.
  private mutating func unbounded(_ type: UInt8, depth: Int) -> ExpressionValue? {
    var list: [ExpressionValue] = []
    while !isStop() {
      guard let member = item(depth: depth + 1) else { return nil }
      list.append(member)
    }
    place += 1
    switch type {
    case 2, 3:
      var content: [UInt8] = []
      for part in list {
        switch (type, part) {
        case (2, .octets(let octets)): content += octets
        case (3, .text(let text)): content += text.utf8
        default: return nil
        }
      }
      return type == 2 ? .octets(content) : .text(String(decoding: content, as: UTF8.self))
    case 4: return .list(list)
    case 5:
      guard list.count.isMultiple(of: 2) else { return nil }
      var fields: [String: ExpressionValue] = [:]
      for place in stride(from: 0, to: list.count, by: 2) {
        guard let name = name(list[place]) else { return nil }
        fields[name] = list[place + 1]
      }
      return .fields(fields)
    default: return nil
    }
  }

  /// Converts a map key to a field name: text, or a number in decimal.
  private func name(_ key: ExpressionValue) -> String? {
    switch key {
    case .text(let text): text
    case .whole(let number): "\(number)"
    default: nil
    }
  }

  private mutating func simple(_ code: UInt8) -> ExpressionValue? {
    switch code {
    case 20, 21: return .boolean(code == 21)
    case 22, 23: return .nothing
    case 25: return number(code).map { .real(Self.half(UInt16($0))) }
    case 26: return number(code).map { .real(Double(Float(bitPattern: UInt32($0)))) }
    case 27: return number(code).map { .real(Double(bitPattern: $0)) }
    default: return nil
    }
  }

  /// Converts an IEEE 754 binary16 number (RFC 8949 Appendix D).
  private static func half(_ bits: UInt16) -> Double {
    let (exponent, fraction) = (Int(bits >> 10 & 0x1F), Double(bits & 0x3FF))
    let size =
      switch exponent {
      case 0: fraction * 0x1p-24
      case 31: fraction == 0 ? Double.infinity : .nan
      default: Double(sign: .plus, exponent: exponent - 25, significand: fraction + 1024)
      }
    return bits & 0x8000 == 0 ? size : -size
  }

  /// Returns the number in the low bits of the first octet, or in the octets after it.
  private mutating func number(_ code: UInt8) -> UInt64? {
    guard code >= 24 else { return UInt64(code) }
    guard code <= 27 else { return nil }
    return take(1 << Int(code - 24))?.reduce(0) { $0 << 8 | UInt64($1) }
  }

  private func isStop() -> Bool { place < octets.count && octets[place] == Self.stop }

  private mutating func take(_ count: Int) -> ArraySlice<UInt8>? {
    guard count <= octets.count - place else { return nil }
    defer { place += count }
    return octets[place..<(place + count)]
  }
}
