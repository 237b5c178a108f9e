import BLECore
import BLESDP

extension FixedWidthInteger {
  /// The octets of the number, most significant first.
  var bigEndianOctets: [UInt8] { withUnsafeBytes(of: bigEndian) { Array($0) } }
}

extension DataElement {
  /// Returns a random element with at most this many levels of sequences.
  static func random(depth: Int, using random: inout SplitMix64) -> DataElement {
    let kinds = depth > 0 ? 18 : 16
    switch Int.random(in: 0..<kinds, using: &random) {
    case 0: return .null
    case 1: return .unsigned8(.random(in: 0 ... .max, using: &random))
    case 2: return .unsigned16(.random(in: 0 ... .max, using: &random))
    case 3: return .unsigned32(.random(in: 0 ... .max, using: &random))
    case 4: return .unsigned64(.random(in: 0 ... .max, using: &random))
    case 5: return .unsigned128(high: random.next(), low: random.next())
    case 6: return .signed8(.random(in: .min ... .max, using: &random))
    case 7: return .signed16(.random(in: .min ... .max, using: &random))
    case 8: return .signed32(.random(in: .min ... .max, using: &random))
    case 9: return .signed64(.random(in: .min ... .max, using: &random))
    case 10: return .signed128(high: Int64(truncatingIfNeeded: random.next()), low: random.next())
    case 11: return .uuid16(.random(in: 0 ... .max, using: &random))
    case 12: return .uuid32(.random(in: 0 ... .max, using: &random))
    case 13: return .uuid128(BluetoothUUID(high: random.next(), low: random.next()))
    case 14: return .text(octets(using: &random))
    case 15: return .url(octets(using: &random))
    case 16: return .sequence(elements(depth: depth, using: &random))
    default: return .alternative(elements(depth: depth, using: &random))
    }
  }

  private static func elements(depth: Int, using random: inout SplitMix64) -> [DataElement] {
    (0..<Int.random(in: 0...5, using: &random)).map { _ in self.random(depth: depth - 1, using: &random) }
  }

  private static func octets(using random: inout SplitMix64) -> [UInt8] {
    let count = Int.random(in: 0...20, using: &random) == 0 ? 300 : Int.random(in: 0...30, using: &random)
    return (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
  }
}
