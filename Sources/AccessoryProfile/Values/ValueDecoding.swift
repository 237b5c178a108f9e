import BLECore

extension ValueFormat {
  /// Decodes a value; `{"hex": …}` if the octets do not fit the format.
  ///
  /// Octets that `encode` would not produce, but that mean the same, decode to the same value: a number with more octets than necessary, or
  /// with another exponent.
  public func decode(_ octets: [UInt8]) -> ProfileValue {
    if case .hex = self { return .octets(octets) }
    var cursor = OctetCursor(octets)
    guard let value = take(&cursor), cursor.remaining == 0 else { return .octets(octets) }
    return value
  }

  /// Reads a value from the front of the octets.
  func take(_ cursor: inout OctetCursor) -> ProfileValue? {
    switch self {
    case .hex(let extent): return Self.octets(&cursor, extent).map { .octets(Array($0)) }
    case .utf8(let extent):
      guard var octets = Self.octets(&cursor, extent) else { return nil }
      if case .fixed = extent { while octets.last == 0 { octets.removeLast() } }
      return String(validating: octets, as: UTF8.self).map { .string($0) }
    case .uuid:
      let octets = cursor.take(cursor.remaining).map { Array($0) } ?? []
      return BluetoothUUID(littleEndianOctets: octets).map { .string($0.description) }
    case .dateTime:
      guard let octets = cursor.take(7) else { return nil }
      if octets.allSatisfy({ $0 == 0 }) { return .string("unknown") }
      return CalendarTime(octets: Array(octets)).map { .string($0.description) }
    case .list(let member, let extent): return Self.list(&cursor, member, extent)
    case .structure(let format): return format.take(&cursor)
    default: return cursor.take(word ?? .octet).flatMap { value(raw: $0) }
    }
  }

  private static func octets(_ cursor: inout OctetCursor, _ extent: Extent) -> ArraySlice<UInt8>? {
    switch extent {
    case .rest: cursor.take(cursor.remaining)
    case .fixed(let size): cursor.take(size)
    case .counted(let width): count(&cursor, width).flatMap { cursor.take($0) }
    case .terminated: cursor.takeTerminated()
    }
  }

  private static func count(_ cursor: inout OctetCursor, _ width: Int) -> Int? {
    cursor.take(Word(bits: width * 8)).flatMap { Int(exactly: $0) }
  }

  private static func list(_ cursor: inout OctetCursor, _ member: ValueFormat, _ extent: Extent) -> ProfileValue? {
    let count: Int
    switch extent {
    case .fixed(let fixed): count = fixed
    case .counted(let width):
      guard let given = Self.count(&cursor, width) else { return nil }
      count = given
    case .rest, .terminated: count = .max
    }
    var members: [ProfileValue] = []
    while members.count < count, extent != .rest || cursor.remaining > 0 {
      let start = cursor.position
      // A member without octets would repeat forever.
      guard let value = member.take(&cursor), cursor.position > start else { return nil }
      members.append(value)
    }
    return .array(members)
  }
}
