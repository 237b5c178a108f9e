import BLECore

/// An integer that represents a number: raw × multiplier × 10^exponent × 2^binaryExponent + offset.
public struct IntegerFormat: Hashable, Sendable {
  /// The width of the integer, and the order of its octets.
  public var word: ValueFormat.Word
  /// Whether it is in two's complement.
  public var isSigned: Bool
  /// The factor by which the integer is multiplied.
  public var multiplier = 1
  /// The power of ten by which it is multiplied: -2 for hundredths.
  public var exponent: Int
  /// The power of two by which it is multiplied.
  public var binaryExponent = 0
  /// The number that is added.
  public var offset = 0.0
  /// Named integers that are special values rather than numbers.
  public var special: [ValueFormat.NamedNumber] = []
  /// The unit of the number; empty for none.
  public var unit = ""

  /// Creates an integer of 1...8 octets. With `decimals` 2, it is in hundredths.
  public init(octets: Int, isSigned: Bool = false, decimals: Int = 0) {
    self.init(bits: octets * 8, isSigned: isSigned)
    exponent = -decimals
  }

  /// Creates an integer of 1...64 bits.
  public init(bits: Int, isSigned: Bool = false) {
    word = ValueFormat.Word(bits: bits)
    self.isSigned = isSigned
    exponent = 0
  }

  /// The size in octets.
  public var octets: Int { word.octets }

  /// The names in profiles of the formats of whole octets.
  static let names = [
    "u8", "u16", "u24", "u32", "u40", "u48", "u56", "u64", "i8", "i16", "i24", "i32", "i40", "i48", "i56", "i64",
  ]

  /// Creates the format with a name such as `u16`, or `u4` for a bit field.
  init?(named name: String) {
    guard let sign = name.first, sign == "u" || sign == "i", let bits = Int(name.dropFirst()), (1...64).contains(bits),
      name == "\(sign)\(bits)"
    else { return nil }
    self.init(bits: bits, isSigned: sign == "i")
  }

  /// The name in profiles.
  var name: String { "\(isSigned ? "i" : "u")\(word.bits)" }

  /// Whether the integer is the number itself.
  var isPlain: Bool { multiplier == 1 && exponent == 0 && binaryExponent == 0 && offset == 0 }

  /// Whether only whole numbers are possible.
  var isWhole: Bool { exponent >= 0 && binaryExponent >= 0 && offset == offset.rounded() }

  /// The smallest and the largest raw integer.
  private var rawRange: ClosedRange<Double> {
    let size = Self.power(of: 2, word.bits)
    return isSigned ? (-size / 2)...(size / 2 - 1) : 0...(size - 1)
  }

  /// The smallest and the largest number that fit.
  var numbers: ClosedRange<Double> {
    let (first, last) = (number(raw: rawRange.lowerBound), number(raw: rawRange.upperBound))
    return min(first, last)...max(first, last)
  }

  /// The difference between two adjacent numbers.
  var step: Double { abs(number(raw: 1) - number(raw: 0)) }

  /// Returns the nearest number that fits.
  func clamp(_ value: Double) -> Double {
    min(max(value, numbers.lowerBound), numbers.upperBound)
  }

  /// Returns the number for a raw integer. Decimal fractions are as precise as a Double can be.
  func number(raw: Double) -> Double {
    var number = raw * Double(multiplier)
    if binaryExponent != 0 {
      let factor = Self.power(of: 2, abs(binaryExponent))
      number = binaryExponent < 0 ? number / factor : number * factor
    }
    if exponent != 0 {
      let factor = Self.power(of: 10, abs(exponent))
      number = exponent < 0 ? number / factor : number * factor
    }
    return number + offset
  }

  /// Returns the raw integer for a number, before rounding.
  private func rawNumber(_ number: Double) -> Double {
    var raw = number - offset
    if exponent != 0 {
      let factor = Self.power(of: 10, abs(exponent))
      raw = exponent < 0 ? raw * factor : raw / factor
    }
    if binaryExponent != 0 {
      let factor = Self.power(of: 2, abs(binaryExponent))
      raw = binaryExponent < 0 ? raw * factor : raw / factor
    }
    return raw / Double(multiplier)
  }

  static func power(of base: Double, _ exponent: Int) -> Double {
    (0..<exponent).reduce(1.0) { power, _ in power * base }
  }

  /// Returns a number as a value of this format, rounded if the format has no fractions. A Double cannot represent the largest number of 64
  /// bits. The next larger Double is taken to mean it.
  func whole(nearest number: Double) -> ProfileValue {
    let rounded = number.rounded()
    guard isWhole, rounded >= 9.2e18 else { return isWhole ? .int(Int64(clamping: number)) : .double(number) }
    guard !isSigned else { return rounded <= 9_223_372_036_854_775_808 ? .int(.max) : .double(rounded) }
    return UInt64(exactly: rounded).map { .whole($0) }
      ?? (rounded == 18_446_744_073_709_551_616 ? .unsigned(.max) : .double(rounded))
  }
}

// MARK: Raw integers

extension IntegerFormat {
  /// Encodes a value.
  func raw(_ value: ProfileValue) throws(ProfileValueError) -> UInt64 {
    if let fitting = fittingRaw(value) { return fitting }
    switch value {
    case .string(let name) where !special.isEmpty:
      if let found = special.first(where: { $0.name == name }) { return found.value & word.greatest }
      throw ProfileValueError(
        "expected a number, or one of \(special.map(\.name).joined(separator: ", ")), not \(value)")
    case .double(let fraction) where isPlain && fraction != fraction.rounded():
      throw ProfileValueError("expected a whole number, not \(fraction)")
    default:
      guard value.number != nil else { throw ProfileValueError("expected a number, not \(value)") }
      let ends = [text(rawRange.lowerBound), text(rawRange.upperBound)]
      throw ProfileValueError("\(value) is not within \(ends.joined(separator: "..."))")
    }
  }

  /// Encodes a number that is within the range; nil for any other value. Whole numbers are not converted to Double, which is exact only up
  /// to 2^53.
  func fittingRaw(_ value: ProfileValue) -> UInt64? {
    if isPlain {
      if case .double(let fraction) = value {
        return fraction == fraction.rounded() ? bits(of: fraction) : nil
      }
      return wholeBits(of: value)
    }
    guard let number = value.number else { return nil }
    return bits(of: rawNumber(number).rounded())
  }

  /// Decodes a raw integer.
  func value(raw: UInt64) -> ProfileValue {
    for name in special where name.value & word.greatest == raw { return .string(name.name) }
    guard isSigned else {
      return isPlain ? .whole(raw) : scaled(Double(raw))
    }
    let unused = Int64(64 - word.bits)
    let whole = Int64(bitPattern: raw << UInt64(unused)) >> unused
    return isPlain ? .int(whole) : scaled(Double(whole))
  }

  private func scaled(_ raw: Double) -> ProfileValue {
    let number = number(raw: raw)
    return isWhole ? .number(number) : .double(number)
  }

  private func wholeBits(of value: ProfileValue) -> UInt64? {
    let unused = Int64(64 - word.bits)
    switch value {
    case .int(let number) where isSigned:
      let limit = Int64.max >> unused
      return (-limit - 1...limit).contains(number) ? UInt64(bitPattern: number) & word.greatest : nil
    case .int(let number): return UInt64(exactly: number).flatMap { $0 <= word.greatest ? $0 : nil }
    case .unsigned(let number): return !isSigned && number <= word.greatest ? number : nil
    default: return nil
    }
  }

  private func bits(of raw: Double) -> UInt64? {
    wholeBits(of: Int64(exactly: raw).map { .int($0) } ?? UInt64(exactly: raw).map { .whole($0) } ?? .null)
  }

  private func text(_ raw: Double) -> String {
    if isPlain, word.bits == 64 {
      return isSigned ? "\(raw < 0 ? Int64.min : .max)" : "\(raw > 0 ? UInt64.max : 0)"
    }
    let value = number(raw: raw)
    return value == value.rounded() && abs(value) < 1e15 ? "\(Int64(value))" : "\(value)"
  }
}
