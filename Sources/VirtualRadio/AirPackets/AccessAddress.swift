import BLECore

/// The access address that begins every packet (Core 5.4 Vol 6 Part B 2.1.2).
struct AccessAddress: OpenCode {
  var rawValue: UInt32

  /// The access address of advertising.
  static let advertising = AccessAddress(rawValue: 0x8E89_BED6)

  /// Returns a random access address that is valid for a connection.
  static func random(_ random: inout SplitMix64) -> AccessAddress {
    while true {
      let candidate = AccessAddress(rawValue: UInt32(truncatingIfNeeded: random.next()))
      if candidate.isValidForConnections { return candidate }
    }
  }

  /// Whether it obeys the rules for connections, including those for LE Coded.
  var isValidForConnections: Bool {
    (rawValue ^ Self.advertising.rawValue).nonzeroBitCount > 1 && longestRun <= 6
      && Set((0..<4).map { UInt8(truncatingIfNeeded: rawValue >> (8 * UInt32($0))) }).count > 1
      && transitions(inLowest: 32) <= 24 && transitions(inHighest: 6) >= 2
      && (rawValue & 0xFF).nonzeroBitCount >= 3 && transitions(inLowest: 16) <= 11
  }

  /// The length of the longest run of equal bits.
  private var longestRun: Int {
    var (longest, current) = (1, 1)
    for bit in UInt32(1)..<32 {
      current = (rawValue >> bit ^ rawValue >> (bit - 1)) & 1 == 0 ? current + 1 : 1
      longest = max(longest, current)
    }
    return longest
  }

  /// Returns the number of neighboring bits that differ.
  private func transitions(inLowest count: UInt32) -> Int {
    let mask = UInt32.max >> (33 - count)
    return ((rawValue ^ rawValue >> 1) & mask).nonzeroBitCount
  }

  private func transitions(inHighest count: UInt32) -> Int {
    AccessAddress(rawValue: rawValue >> (32 - count)).transitions(inLowest: count)
  }
}
