import BLECore

extension ValueFormat {
  /// The octets of a value. `{"hex": …}` is taken by every format.
  public func encode(_ value: ProfileValue) throws(ProfileValueError) -> [UInt8] {
    if let octets = value.octets { return octets }
    switch self {
    case .octets: throw ProfileValueError("octets are wanted, as {\"hex\": \"0102\"}, not \(value)")
    case .text:
      guard case .string(let text) = value else { throw ProfileValueError("text is wanted, not \(value)") }
      return Array(text.utf8)
    case .boolean:
      guard case .bool(let flag) = value else { throw ProfileValueError("true or false is wanted, not \(value)") }
      return [flag ? 1 : 0]
    case .uuid:
      guard case .string(let text) = value, let uuid = BluetoothUUID(text) ?? AssignedName.uuid(named: text) else {
        throw ProfileValueError("a UUID is wanted, not \(value)")
      }
      return uuid.littleEndianOctets
    case .integer(let format): return try format.encode(value)
    case .named(let names): return [try Self.named(value, names)]
    case .flags(let names):
      guard case .array(let elements) = value else {
        throw ProfileValueError("a list of names is wanted, not \(value)")
      }
      var bits: UInt8 = 0
      for element in elements { bits |= try Self.named(element, names) }
      return [bits]
    case .list(let element):
      guard case .array(let elements) = value else { throw ProfileValueError("a list is wanted, not \(value)") }
      var octets: [UInt8] = []
      for member in elements { octets += try element.encode(member) }
      return octets
    case .dateTime:
      guard case .string(let text) = value, let time = CalendarTime(text) else {
        throw ProfileValueError("a time such as 2024-02-29T23:59:58 is wanted, not \(value)")
      }
      return time.octets
    case .timeZone:
      guard case .string(let text) = value, let quarters = TimeZoneOffset.quarters(of: text) else {
        throw ProfileValueError(
          "a time zone such as +01:00 between -12:00 and +14:00, or unknown, is wanted, not \(value)")
      }
      return [UInt8(bitPattern: quarters)]
    case .structure(let fields): return try Self.structure(value, fields)
    case .currentTime: return try Self.structure(Self.addingWeekday(to: value), AssignedFormats.currentTimeFields)
    case .heartRateMeasurement: return try HeartRateMeasurement(value).octets
    }
  }

  private static func named(_ value: ProfileValue, _ names: [NamedNumber]) throws(ProfileValueError) -> UInt8 {
    switch value {
    case .string(let name):
      if let found = names.first(where: { $0.name == name }) { return found.value }
      throw ProfileValueError("there is no '\(name)' here\(Spelling.hint(for: name, among: names.map(\.name)))")
    case .int(let number):
      guard let octet = UInt8(exactly: number) else { throw ProfileValueError("\(number) is not within 0...255") }
      return octet
    default:
      throw ProfileValueError("one of \(names.map(\.name).joined(separator: ", ")) is wanted, not \(value)")
    }
  }

  private static func structure(_ value: ProfileValue, _ fields: [Field]) throws(ProfileValueError) -> [UInt8] {
    let given = try object(value, fields)
    var octets: [UInt8] = []
    for field in fields {
      guard let part = given[field.name] ?? field.defaultValue else {
        throw ProfileValueError("'\(field.name)' is missing")
      }
      do {
        octets += try field.format.encode(part)
      } catch {
        throw ProfileValueError("\(field.name): \(error.message)")
      }
    }
    return octets
  }

  /// The fields of an object, all of them known.
  static func object(
    _ value: ProfileValue, _ fields: [Field]
  ) throws(ProfileValueError) -> [String: ProfileValue] {
    guard case .object(let given) = value else {
      throw ProfileValueError("an object with \(fields.map(\.name).joined(separator: ", ")) is wanted, not \(value)")
    }
    let known = fields.map(\.name)
    for name in given.keys.sorted() where !known.contains(name) {
      throw ProfileValueError("there is no field '\(name)'\(Spelling.hint(for: name, among: known))")
    }
    return given
  }

  private static func addingWeekday(to value: ProfileValue) -> ProfileValue {
    guard case .object(var fields) = value, fields["day-of-week"] ?? .null == .null,
      case .string(let text) = fields["time"],
      let time = CalendarTime(text)
    else { return value }
    fields["day-of-week"] = .int(Int64(time.dayOfWeek))
    return .object(fields)
  }
}

extension IntegerFormat {
  /// The octets of a number, least significant first.
  func encode(_ value: ProfileValue) throws(ProfileValueError) -> [UInt8] {
    guard let number = value.number else { throw ProfileValueError("a number is wanted, not \(value)") }
    if decimals == 0, case .double(let fraction) = value, fraction != fraction.rounded() {
      throw ProfileValueError("a whole number is wanted, not \(fraction)")
    }
    let raw = (number * scale).rounded()
    guard let bits = isWhole(value) ? wholeBits(of: value) : bits(of: raw) else {
      throw ProfileValueError("\(value) is not within \(text(range.lowerBound))...\(text(range.upperBound))")
    }
    return (0..<octets).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
  }

  /// Whether the value is a whole number that the octets hold as it is.
  private func isWhole(_ value: ProfileValue) -> Bool {
    if case .double = value { false } else { decimals == 0 }
  }

  /// The bits of a whole number that is within the range; a Double holds integers only up to 2^53.
  private func wholeBits(of value: ProfileValue) -> UInt64? {
    let width = UInt64(8 * octets)
    switch value {
    case .int(let number) where isSigned:
      let limit = Int64.max >> Int64(64 - width)
      return (-limit - 1...limit).contains(number) ? UInt64(bitPattern: number) : nil
    case .int(let number): return UInt64(exactly: number).flatMap { $0 <= .max >> (64 - width) ? $0 : nil }
    case .unsigned(let number): return !isSigned && number <= .max >> (64 - width) ? number : nil
    default: return nil
    }
  }

  /// The bits of a number of whole steps that is within the range.
  private func bits(of raw: Double) -> UInt64? {
    wholeBits(of: Int64(exactly: raw).map { .int($0) } ?? UInt64(exactly: raw).map { .whole($0) } ?? .null)
  }

  private func text(_ raw: Double) -> String {
    let value = raw / scale
    if decimals == 0, octets == 8 {
      return isSigned ? "\(raw < 0 ? Int64.min : .max)" : "\(raw > 0 ? UInt64.max : 0)"
    }
    return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
