/// A number format of IEEE 11073-20601 with a decimal mantissa and exponent: SFLOAT with 12 and 4 bits, or FLOAT with 24 and 8.
public struct MedicalFloat: Hashable, Sendable {
  /// Whether the format is SFLOAT, in two octets. Otherwise it is FLOAT, in four.
  public var isShort: Bool
  /// Whether the most significant octet comes first.
  public var isBigEndian = false
  /// The exponent for encoding, unless digits would be lost; nil for as few decimal places as needed.
  public var exponent: Int?
  /// The unit of the number; empty for none.
  public var unit = ""

  /// Creates SFLOAT or FLOAT.
  public init(isShort: Bool, exponent: Int? = nil) {
    self.isShort = isShort
    self.exponent = exponent
  }

  /// The integer that contains the number.
  var word: ValueFormat.Word { .init(bits: isShort ? 16 : 32, isBigEndian: isBigEndian) }
  private var mantissaBits: Int { isShort ? 12 : 24 }
  private var exponents: ClosedRange<Int> { isShort ? -8...7 : -128...127 }

  /// The largest mantissa. Larger ones and their negatives are special values.
  private var greatest: Int64 { (1 << Int64(mantissaBits - 1)) - 3 }

  /// The special values and their mantissas (IEEE 11073-20601 annex F: NaN, NRes, +INFINITY, -INFINITY, reserved).
  private static let names: [(name: String, offset: Int64)] = [
    ("inf", 1), ("nan", 2), ("nres", 3), ("reserved", 4), ("-inf", 5),
  ]

  /// Encodes a value.
  func raw(_ value: ProfileValue) throws(ProfileValueError) -> UInt64 {
    if case .string(let name) = value, let found = Self.names.first(where: { $0.name == name }) {
      return UInt64(greatest + found.offset)
    }
    guard let number = value.number else {
      let names = Self.names.map(\.name).joined(separator: ", ")
      throw ProfileValueError("expected a number, or one of \(names), not \(value)")
    }
    guard let (mantissa, exponent) = decimal(number) else {
      throw ProfileValueError("\(value) is too large")
    }
    let mask = (UInt64(1) << UInt64(mantissaBits)) - 1
    let bits = UInt64(bitPattern: mantissa) & mask | UInt64(bitPattern: Int64(exponent)) << UInt64(mantissaBits)
    return bits & word.greatest
  }

  /// Decodes a raw integer; nil if the mantissa is reserved for a special value but the exponent is not 0.
  func value(raw: UInt64) -> ProfileValue? {
    let unused = Int64(64 - mantissaBits)
    let mantissa = Int64(bitPattern: raw << UInt64(unused)) >> unused
    let exponent = Int64(bitPattern: raw << UInt64(64 - word.bits)) >> Int64(64 - word.bits + mantissaBits)
    if abs(mantissa) <= greatest { return .double(Self.number(mantissa, Int(exponent))) }
    guard exponent == 0 else { return nil }
    return Self.names.first { UInt64(greatest + $0.offset) == raw }.map { .string($0.name) }
  }

  private static func number(_ mantissa: Int64, _ exponent: Int) -> Double {
    // Larger powers of ten are not exact, so that equal decimal numbers would differ.
    guard abs(exponent) <= 22 else { return Double("\(mantissa)e\(exponent)") ?? 0 }
    let factor = IntegerFormat.power(of: 10, abs(exponent))
    return exponent < 0 ? Double(mantissa) / factor : Double(mantissa) * factor
  }

  /// Returns the mantissa and exponent of a number: with the exponent for encoding if that is exact, or else with the one nearest to zero
  /// that keeps all digits, or as many as fit; nil if the number is too large.
  private func decimal(_ number: Double) -> (mantissa: Int64, exponent: Int)? {
    guard number.isFinite else { return nil }
    if let exponent, let mantissa = mantissa(number, exponent), Self.number(mantissa, exponent) == number {
      return (mantissa, exponent)
    }
    var best: (mantissa: Int64, exponent: Int)?
    var exponent = 0
    while best == nil, exponent <= exponents.upperBound {
      best = mantissa(number, exponent).map { ($0, exponent) }
      exponent += 1
    }
    guard var best else { return nil }
    exponent = best.exponent
    // Adds decimal places until the number is exact, or there is no room.
    while Self.number(best.mantissa, best.exponent) != number, exponent > exponents.lowerBound {
      exponent -= 1
      guard let finer = mantissa(number, exponent) else { break }
      best = (finer, exponent)
    }
    while best.exponent < 0, best.mantissa % 10 == 0 { best = (best.mantissa / 10, best.exponent + 1) }
    return best
  }

  private func mantissa(_ number: Double, _ exponent: Int) -> Int64? {
    let factor = IntegerFormat.power(of: 10, abs(exponent))
    let scaled = (exponent < 0 ? number * factor : number / factor).rounded()
    return abs(scaled) <= Double(greatest) ? Int64(scaled) : nil
  }
}
