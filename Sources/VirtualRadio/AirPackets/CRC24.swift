/// The checksum of every packet (Core 5.4 Vol 6 Part B 3.1.1).
enum CRC24 {
  /// The initial value on the advertising channels.
  static let advertisingInit: UInt32 = 0x55_5555

  /// x^24 + x^10 + x^9 + x^6 + x^4 + x^3 + x + 1 with the bits reversed, because octets enter the shift register least significant bit
  /// first.
  private static let polynomial: UInt32 = 0xDA_6000

  /// Returns the checksum of a PDU as a number whose octets follow the PDU, least significant first.
  static func checksum(_ pdu: [UInt8], initial: UInt32) -> UInt32 {
    var register = UInt32(reversing24: initial)
    for octet in pdu {
      register ^= UInt32(octet)
      for _ in 0..<8 { register = register >> 1 ^ (register & 1 == 0 ? 0 : polynomial) }
    }
    return register
  }
}

extension UInt32 {
  /// Creates the low 24 bits of a number in reverse order.
  fileprivate init(reversing24 value: UInt32) {
    self = (0..<24).reduce(0) { $0 << 1 | value >> UInt32($1) & 1 }
  }
}
