extension ValueFormat {
  /// The integer that contains the value; nil if the format is not an integer.
  var word: Word? {
    switch self {
    case .boolean: Word(bits: 1)
    case .timeZone: .octet
    case .integer(let format): format.word
    case .medical(let format): format.word
    case .floating(let word), .named(_, let word), .flags(_, let word): word
    case .bits(let format): format.word
    default: nil
    }
  }

  /// Encodes a value as an integer.
  func raw(_ value: ProfileValue) throws(ProfileValueError) -> UInt64 {
    switch self {
    case .integer(let format): return try format.raw(value)
    case .boolean:
      guard case .bool(let flag) = value else { throw ProfileValueError("expected true or false, not \(value)") }
      return flag ? 1 : 0
    case .named(let names, let word): return try Self.named(value, names, word)
    case .flags(let names, let word):
      guard case .array(let elements) = value else {
        throw ProfileValueError("expected a list of names, not \(value)")
      }
      var bits: UInt64 = 0
      for element in elements { bits |= try Self.named(element, names, word) }
      return bits
    case .medical(let format): return try format.raw(value)
    case .floating(let word): return try Self.floating(value, word)
    case .bits(let format): return try format.raw(value)
    case .timeZone:
      guard case .string(let text) = value, let quarters = TimeZoneOffset.quarters(of: text) else {
        throw ProfileValueError(
          "expected a time zone such as +01:00 between -12:00 and +14:00, or unknown, not \(value)")
      }
      return UInt64(UInt8(bitPattern: quarters))
    default: throw ProfileValueError("expected an integer, not \(value)")
    }
  }

  /// Decodes an integer; nil if it has no meaning.
  func value(raw: UInt64) -> ProfileValue? {
    switch self {
    case .integer(let format): format.value(raw: raw)
    case .boolean: raw <= 1 ? .bool(raw == 1) : nil
    case .named(let names, _): names.first { $0.value == raw }.map { .string($0.name) } ?? .whole(raw)
    case .flags(let names, _): Self.flagNames(raw, names)
    case .medical(let format): format.value(raw: raw)
    case .floating(let word): Self.floating(raw, word)
    case .bits(let format): format.value(raw: raw)
    case .timeZone: TimeZoneOffset.text(quarters: Int8(truncatingIfNeeded: raw)).map { .string($0) }
    default: nil
    }
  }

  private static func named(
    _ value: ProfileValue, _ names: [NamedNumber], _ word: Word
  ) throws(ProfileValueError) -> UInt64 {
    switch value {
    case .string(let name):
      for known in names where known.name == name { return known.value }
      throw ProfileValueError("there is no '\(name)' here\(Spelling.hint(for: name, among: names.map(\.name)))")
    case .int(let number):
      guard let code = UInt64(exactly: number), code <= word.greatest else {
        throw ProfileValueError("\(number) is not within 0...\(word.greatest)")
      }
      return code
    case .unsigned(let code) where code <= word.greatest: return code
    default:
      throw ProfileValueError("expected one of \(names.map(\.name).joined(separator: ", ")), not \(value)")
    }
  }

  /// Returns the names of the set bits; nil if one of them has no name.
  private static func flagNames(_ raw: UInt64, _ names: [NamedNumber]) -> ProfileValue? {
    var present: [ProfileValue] = []
    var known: UInt64 = 0
    for name in names where name.value != 0 && raw & name.value == name.value {
      present.append(.string(name.name))
      known |= name.value
    }
    return known == raw ? .array(present) : nil
  }

  // MARK: IEEE 754

  private static func floating(_ value: ProfileValue, _ word: Word) throws(ProfileValueError) -> UInt64 {
    let number: Double
    switch value {
    case .string("nan"): number = .nan
    case .string("inf"): number = .infinity
    case .string("-inf"): number = -.infinity
    default:
      guard let given = value.number else {
        throw ProfileValueError("expected a number, or one of nan, inf, -inf, not \(value)")
      }
      number = given
    }
    guard word.bits == 32 else { return number.bitPattern }
    let short = Float(number)
    if short.isInfinite, number.isFinite { throw ProfileValueError("\(value) is too large") }
    return UInt64(short.bitPattern)
  }

  private static func floating(_ raw: UInt64, _ word: Word) -> ProfileValue {
    let number =
      word.bits == 32
      ? shortest(Float(bitPattern: UInt32(truncatingIfNeeded: raw))) : Double(bitPattern: raw)
    if number.isNaN { return .string("nan") }
    if number.isInfinite { return .string(number < 0 ? "-inf" : "inf") }
    return .double(number)
  }

  /// Returns the number with the fewest digits that equals this one in 32 bits: 0.1, not 0.10000000149.
  private static func shortest(_ number: Float) -> Double {
    number.isFinite ? Double("\(number)") ?? Double(number) : Double(number)
  }
}
