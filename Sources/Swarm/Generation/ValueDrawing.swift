import AccessoryProfile
import BLECore

/// Draws numbers, durations, octets and choices from a seed.
struct ValueDrawing {
  var random: SplitMix64

  mutating func chance(_ probability: Double) -> Bool { random.fraction() < probability }

  mutating func below(_ count: Int) -> Int { count < 1 ? 0 : Int(random.upTo(UInt64(count - 1))) }

  mutating func one<Element>(of elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[below(elements.count)]
  }

  /// Returns a number in a range. The ends of the range and small numbers are more likely than others.
  mutating func integer(_ range: ClosedRange<Int>) -> Int {
    switch below(8) {
    case 0: return range.lowerBound
    case 1: return range.upperBound
    case 2, 3, 4:
      let reach = min(UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound)), 16)
      return range.lowerBound + Int(random.upTo(reach))
    default:
      let reach = UInt64(bitPattern: Int64(range.upperBound &- range.lowerBound))
      return Int(truncatingIfNeeded: Int64(range.lowerBound) &+ Int64(truncatingIfNeeded: random.upTo(reach)))
    }
  }

  /// Returns a duration in a range, in whole steps. Most are from 10 ms to 20 s, because longer ones do not elapse in a short run.
  mutating func duration(_ range: ClosedRange<Duration>, step: Duration?) -> ProfileTree {
    let (low, high) = (range.lowerBound.inNanoseconds / 1000, range.upperBound.inNanoseconds / 1000)
    let step = max(1, (step?.inNanoseconds ?? 1_000_000) / 1000)
    var value: Int64 =
      switch below(10) {
      case 0: low
      case 1: high
      case 2, 3, 4: 10_000 + Int64(random.upTo(190)) * 1000
      case 5, 6, 7: 200_000 + Int64(random.upTo(48)) * 100_000
      default: 5_000_000 + Int64(random.upTo(15)) * 1_000_000
      }
    value = min(max(value, low), high)
    value = value / step * step
    if value < low { value += step }
    return .word(Self.text(microseconds: value))
  }

  private static func text(microseconds value: Int64) -> String {
    if value % 1_000_000 == 0 { return "\(value / 1_000_000) s" }
    if value % 1000 == 0 { return "\(value / 1000) ms" }
    var fraction = String(value % 1000 + 1000).dropFirst()
    while fraction.last == "0" { fraction.removeLast() }
    return "\(value / 1000).\(fraction) ms"
  }

  mutating func hexadecimal(_ count: Int) -> String {
    var text = ""
    for _ in 0..<count {
      let octet = random.upTo(255)
      text += (octet < 16 ? "0" : "") + String(octet, radix: 16, uppercase: true)
    }
    return text
  }

  mutating func octets(_ count: Int) -> ProfileTree { .word("hex:" + hexadecimal(count)) }

  mutating func uuid() -> String {
    if chance(0.6) { return "F" + String(hexadecimal(2).dropFirst()) + "A" }
    let digits = Array(hexadecimal(16))
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// Returns a random static address.
  mutating func address() -> String {
    let digits = Array("C" + hexadecimal(6).dropFirst())
    return stride(from: 0, to: 12, by: 2).map { String(digits[$0...($0 + 1)]) }.joined(separator: ":")
  }
}
