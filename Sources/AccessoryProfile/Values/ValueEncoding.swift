import BLECore

extension ValueFormat {
  /// Encodes a value. Every format accepts `{"hex": …}`.
  package func encode(_ value: ProfileValue) throws(ProfileValueError) -> [UInt8] {
    if let octets = value.octets { return octets }
    var octets: [UInt8] = []
    try append(value, to: &octets)
    return octets
  }

  /// Returns whether it is a number's format, and can hold a number close to this one.
  package func holds(_ number: Double) -> Bool {
    isNumeric && (try? raw(self.number(nearest: number))) != nil
  }

  /// Appends the octets of a value.
  func append(_ value: ProfileValue, to octets: inout [UInt8]) throws(ProfileValueError) {
    if let given = value.octets {
      guard case .hex(let extent) = self else { return octets += given }
      if case .fixed(let size) = extent, given.count != size {
        throw ProfileValueError("expected \(size) octets, not \(given.count)")
      }
      return try Self.append(given, extent, to: &octets)
    }
    switch self {
    case .hex: throw ProfileValueError("expected octets, as {\"hex\": \"0102\"}, not \(value)")
    case .utf8(let extent):
      guard case .string(let text) = value else { throw ProfileValueError("expected text, not \(value)") }
      try Self.append(Array(text.utf8), extent, to: &octets)
    case .uuid:
      guard case .string(let text) = value, let uuid = BluetoothUUID(text) ?? AssignedName.uuid(named: text) else {
        throw ProfileValueError("expected a UUID, not \(value)")
      }
      octets += uuid.littleEndianOctets
    case .dateTime: octets += try Self.dateTime(value)
    case .list(let member, let extent): try Self.append(value, member, extent, to: &octets)
    case .structure(let format): try format.append(value, to: &octets)
    default: octets.append(try raw(value), word ?? .octet)
    }
  }

  private static func dateTime(_ value: ProfileValue) throws(ProfileValueError) -> [UInt8] {
    if value == .string("unknown") { return [UInt8](repeating: 0, count: 7) }
    guard case .string(let text) = value, let time = CalendarTime(text) else {
      throw ProfileValueError("expected a time such as 2024-02-29T23:59:58, not \(value)")
    }
    return time.octets
  }

  private static func append(
    _ text: [UInt8], _ extent: Extent, to octets: inout [UInt8]
  ) throws(ProfileValueError) {
    switch extent {
    case .rest: octets += text
    case .fixed(let size):
      guard text.count <= size else {
        throw ProfileValueError("the text has \(text.count) octets; the maximum is \(size)")
      }
      octets += text + [UInt8](repeating: 0, count: size - text.count)
    case .counted(let width):
      try append(count: text.count, width, to: &octets)
      octets += text
    case .terminated:
      guard !text.contains(0) else {
        throw ProfileValueError("the text is terminated by an octet 0, so it cannot contain one")
      }
      octets += text + [0]
    }
  }

  private static func append(
    _ value: ProfileValue, _ member: ValueFormat, _ extent: Extent, to octets: inout [UInt8]
  ) throws(ProfileValueError) {
    guard case .array(let elements) = value else { throw ProfileValueError("expected a list, not \(value)") }
    switch extent {
    case .fixed(let count) where elements.count != count:
      throw ProfileValueError("expected a list of \(count), not of \(elements.count)")
    case .counted(let width): try append(count: elements.count, width, to: &octets)
    default: break
    }
    for (index, element) in elements.enumerated() {
      do {
        try member.append(element, to: &octets)
      } catch {
        throw error.inside(index)
      }
    }
  }

  private static func append(count: Int, _ width: Int, to octets: inout [UInt8]) throws(ProfileValueError) {
    let word = Word(bits: width * 8)
    guard UInt64(count) <= word.greatest else {
      throw ProfileValueError("the list has \(count) members; the maximum is \(word.greatest)")
    }
    octets.append(UInt64(count), word)
  }

  /// Returns the fields of an object, after checking that all are known.
  static func object(
    _ value: ProfileValue, _ fields: [Field]
  ) throws(ProfileValueError) -> [String: ProfileValue] {
    guard case .object(let given) = value else {
      throw ProfileValueError("expected an object with \(fields.map(\.name).joined(separator: ", ")), not \(value)")
    }
    let known = fields.map(\.name)
    for name in given.keys.sorted() where !known.contains(name) {
      throw ProfileValueError("there is no field '\(name)'\(Spelling.hint(for: name, among: known))")
    }
    return given
  }
}
