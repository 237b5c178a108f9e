import BLECore

/// The check sequence of I-frames and S-frames (Core 5.4 Vol 3 Part A 3.3.5): the remainder by D¹⁶ + D¹⁵ + D² + 1 of the basic header and
/// all that follows it.
package struct FrameCheckSequence: Sendable {
  /// The number of its octets.
  package static let octetCount = 2

  package private(set) var value: UInt16 = 0

  package init() {}

  /// The remainders of all octets. The least significant bit is the first on the air.
  private static let remainders: [UInt16] = (0..<256).map { octet in
    var remainder = UInt16(octet)
    for _ in 0..<8 { remainder = remainder & 1 == 1 ? remainder >> 1 ^ 0xA001 : remainder >> 1 }
    return remainder
  }

  /// Adds an octet.
  package mutating func add(_ octet: UInt8) {
    value = value >> 8 ^ Self.remainders[Int((value ^ UInt16(octet)) & 0xFF)]
  }

  /// Adds octets.
  package mutating func add(_ octets: Span<UInt8>) {
    for index in octets.indices { add(octets[index]) }
  }

  /// Returns the check sequence of a frame with that header and those octets after it, without its own.
  package static func of(_ octets: Span<UInt8>, on channel: ChannelID) -> UInt16 {
    var check = FrameCheckSequence()
    let length = UInt16(clamping: octets.count + octetCount)
    for word in [length, channel.rawValue] {
      check.add(UInt8(truncatingIfNeeded: word))
      check.add(UInt8(word >> 8))
    }
    check.add(octets)
    return check.value
  }
}
