import BLECore
import BLECryptography

/// The functions of LE Secure Connections, all based on AES-CMAC.
extension SecurityToolbox {
  /// Returns the confirm value generation function f4 (2.2.6). `u` and `v` are x coordinates of 32 octets, `x` has 16.
  package static func f4(u: [UInt8], v: [UInt8], x: [UInt8], z: UInt8) -> [UInt8] {
    authenticate(u.reversed() + v.reversed() + [z], key: x)
  }

  /// Returns the key generation function f5 (2.2.7). `w` is the DHKey of 32 octets, `n1` and `n2` are the random values of the initiator
  /// and the responder.
  package static func f5(
    w: [UInt8], n1: [UInt8], n2: [UInt8], a1: TypedAddress, a2: TypedAddress
  ) -> (macKey: [UInt8], longTermKey: [UInt8]) {
    let salt: [UInt8] = [
      0x6C, 0x88, 0x83, 0x91, 0xAA, 0xF5, 0xA5, 0x38, 0x60, 0x37, 0x0B, 0xDB, 0x5A, 0x60, 0x83, 0xBE,
    ]
    let t = AESCMAC.authenticationCode(of: w.reversed(), key: salt)
    // "btle", and a length of 256 bits.
    let shared = [0x62, 0x74, 0x6C, 0x65] + n1.reversed() + n2.reversed() + a1.octets + a2.octets + [0x01, 0x00]
    let keys = [0, 1].map { counter in Array(AESCMAC.authenticationCode(of: [counter] + shared, key: t).reversed()) }
    return (keys[0], keys[1])
  }

  /// Returns the check value generation function f6 (2.2.8). `inputOutput` is IO capability, OOB data flag and AuthReq, in the order of the
  /// pairing packets.
  package static func f6(
    w: [UInt8], n1: [UInt8], n2: [UInt8], r: [UInt8], inputOutput: [UInt8], a1: TypedAddress, a2: TypedAddress
  ) -> [UInt8] {
    let message = n1.reversed() + n2.reversed() + r.reversed() + inputOutput.reversed() + a1.octets + a2.octets
    return authenticate(Array(message), key: w)
  }

  /// Returns the numeric comparison value generation function g2, 32 bits (2.2.9). `digits(of:)` returns what users see.
  package static func g2(u: [UInt8], v: [UInt8], x: [UInt8], y: [UInt8]) -> UInt32 {
    let code = authenticate(u.reversed() + v.reversed() + y.reversed(), key: x)
    return code.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }
  }

  /// Returns the six digits that users compare.
  package static func digits(of value: UInt32) -> UInt32 { value % 1_000_000 }

  /// Returns the link key conversion function h6 (2.2.10). `keyID` is in the notation of the specification, most significant octet first.
  package static func h6(w: [UInt8], keyID: [UInt8]) -> [UInt8] { authenticate(keyID, key: w) }

  /// Returns the link key conversion function h7 (2.2.11). `salt` is in the notation of the specification, most significant octet first.
  package static func h7(salt: [UInt8], w: [UInt8]) -> [UInt8] {
    AESCMAC.authenticationCode(of: w.reversed(), key: salt).reversed()
  }

  /// Returns the BR/EDR link key derived from an LE Long Term Key, with h7 if both sides support it (2.4.2.4).
  package static func linkKey(from longTermKey: [UInt8], usesH7: Bool) -> [UInt8] {
    derive(from: longTermKey, "tmp1", "lebr", usesH7: usesH7)
  }

  /// Returns the Long Term Key of LE derived from a BR/EDR link key, with h7 if both sides support it (2.4.2.5).
  package static func longTermKey(from linkKey: [UInt8], usesH7: Bool) -> [UInt8] {
    derive(from: linkKey, "tmp2", "brle", usesH7: usesH7)
  }

  private static func derive(from key: [UInt8], _ first: String, _ second: String, usesH7: Bool) -> [UInt8] {
    let identifier = Array(first.utf8)
    let intermediate =
      usesH7 ? h7(salt: Array(repeating: 0, count: 12) + identifier, w: key) : h6(w: key, keyID: identifier)
    return h6(w: intermediate, keyID: Array(second.utf8))
  }

  private static func authenticate(_ message: [UInt8], key: [UInt8]) -> [UInt8] {
    AESCMAC.authenticationCode(of: message, key: key.reversed()).reversed()
  }
}

extension TypedAddress {
  /// The address preceded by its type, 56 bits, most significant octet first (2.2.7).
  fileprivate var octets: [UInt8] { [isRandom ? 1 : 0] + address.littleEndianOctets.reversed() }
}
