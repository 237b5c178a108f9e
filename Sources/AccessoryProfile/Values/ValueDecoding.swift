import BLECore

extension ValueFormat {
  /// The value of octets; `{"hex": …}` where they do not fit the format, or the value would not encode to them.
  public func decode(_ octets: [UInt8]) -> ProfileValue {
    var rest = octets[...]
    guard let value = take(&rest), rest.isEmpty, (try? encode(value)) == octets else { return .octets(octets) }
    return value
  }

  /// Reads a value from the front of octets.
  private func take(_ octets: inout ArraySlice<UInt8>) -> ProfileValue? {
    switch self {
    case .octets:
      defer { octets = [] }
      return .octets(Array(octets))
    case .text:
      defer { octets = [] }
      return String(validating: octets, as: UTF8.self).map { .string($0) }
    case .boolean:
      guard let octet = octets.popFirst(), octet <= 1 else { return nil }
      return .bool(octet == 1)
    case .uuid:
      defer { octets = [] }
      return BluetoothUUID(littleEndianOctets: Array(octets)).map { .string($0.description) }
    case .integer(let format): return format.take(&octets)
    case .named(let names):
      guard let octet = octets.popFirst() else { return nil }
      return names.first { $0.value == octet }.map { .string($0.name) } ?? .int(Int64(octet))
    case .flags(let names):
      guard let octet = octets.popFirst() else { return nil }
      let present = names.filter { octet & $0.value != 0 }
      guard present.reduce(0, { $0 | $1.value }) == octet else { return nil }
      return .array(present.map { .string($0.name) })
    case .list(let element):
      var members: [ProfileValue] = []
      while !octets.isEmpty {
        guard let member = element.take(&octets) else { return nil }
        members.append(member)
      }
      return .array(members)
    case .dateTime:
      guard octets.count >= 7 else { return nil }
      defer { octets = octets.dropFirst(7) }
      return CalendarTime(octets: Array(octets.prefix(7))).map { .string($0.description) }
    case .timeZone:
      guard let octet = octets.popFirst() else { return nil }
      return TimeZoneOffset.text(quarters: Int8(bitPattern: octet)).map { .string($0) }
    case .structure(let fields): return Self.structure(&octets, fields)
    case .currentTime: return Self.structure(&octets, AssignedFormats.currentTimeFields)
    case .heartRateMeasurement:
      defer { octets = [] }
      return HeartRateMeasurement(octets: Array(octets))?.value
    }
  }

  private static func structure(_ octets: inout ArraySlice<UInt8>, _ fields: [Field]) -> ProfileValue? {
    var values: [String: ProfileValue] = [:]
    for field in fields {
      guard let value = field.format.take(&octets) else { return nil }
      values[field.name] = value
    }
    return .object(values)
  }
}

extension IntegerFormat {
  fileprivate func take(_ slice: inout ArraySlice<UInt8>) -> ProfileValue? {
    guard slice.count >= octets else { return nil }
    var bits: UInt64 = 0
    for octet in slice.prefix(octets).reversed() { bits = bits << 8 | UInt64(octet) }
    slice = slice.dropFirst(octets)
    let unused = UInt64(64 - 8 * octets)
    guard isSigned else { return decimals == 0 ? .whole(bits) : .double(Double(bits) / scale) }
    let whole = Int64(bitPattern: bits << unused) >> Int64(unused)
    return decimals == 0 ? .int(whole) : .double(Double(whole) / scale)
  }
}
