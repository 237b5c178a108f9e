/// Parses numbers as people write them, and nothing else: no octal, no sexagesimal, no infinities.
enum Numbers {
  /// Parses a decimal integer without leading zeros, or a hexadecimal one after `0x`, with an optional sign. Underscores are allowed
  /// between digits.
  static func integer(_ text: some StringProtocol) -> Int64? {
    var digits = Substring(text)
    var isNegative = false
    if digits.hasPrefix("-") || digits.hasPrefix("+") {
      isNegative = digits.first == "-"
      digits = digits.dropFirst()
    }
    guard let magnitude = unsigned(digits) else { return nil }
    if isNegative { return magnitude <= 1 << 63 ? Int64(truncatingIfNeeded: 0 &- magnitude) : nil }
    return Int64(exactly: magnitude)
  }

  /// Parses a whole number up to 2^64 - 1, written as for `integer`.
  static func whole(_ text: some StringProtocol) -> ProfileValue? {
    integer(text).map { .int($0) } ?? unsigned(text.dropping(prefix: "+") ?? text[...]).map { .whole($0) }
  }

  /// Parses an unsigned integer, written as for `integer`.
  static func unsigned(_ text: some StringProtocol) -> UInt64? {
    var digits = Substring(text)
    var radix = 10
    if digits.hasPrefix("0x") || digits.hasPrefix("0X") {
      radix = 16
      digits = digits.dropFirst(2)
    } else if digits.utf8.count > 1, digits.hasPrefix("0") {
      return nil
    }
    guard let first = digits.first, let last = digits.last, first != "_", last != "_", first != "+", first != "-" else {
      return nil
    }
    return UInt64(digits.filter { $0 != "_" }, radix: radix)
  }

  /// Parses a decimal number: digits and, if there is a fraction, a point followed by digits.
  static func decimal(_ text: some StringProtocol) -> Double? {
    if let whole = whole(text)?.number { return whole }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }), parts[1].allSatisfy({ $0.isASCII && $0.isNumber }) else {
      return nil
    }
    let whole = parts[0].hasPrefix("-") || parts[0].hasPrefix("+") ? parts[0].dropFirst() : parts[0][...]
    guard !whole.isEmpty, whole.allSatisfy({ $0.isASCII && $0.isNumber }), whole == "0" || !whole.hasPrefix("0") else {
      return nil
    }
    return Double(String(text))
  }
}
