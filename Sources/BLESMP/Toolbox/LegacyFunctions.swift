import BLECore
import BLECryptography

/// The cryptographic toolbox of pairing (Core 5.4 Vol 3 Part H 2.2). All inputs and outputs are in the order of transmission, least significant octet
/// first, although the specification computes with the most significant octet first.
package enum SecurityToolbox {
  /// Returns the security function e (2.2.1). 16 octets each.
  package static func e(key: [UInt8], plaintext: [UInt8]) -> [UInt8] {
    AESBlock.encrypt(key: key.reversed(), plaintext.reversed()).reversed()
  }

  /// Returns the confirm value generation function c1 (2.2.3). `request` and `response` are the packets Pairing Request and Pairing
  /// Response, 7 octets including their codes. Key, random value and result have 16 octets.
  package static func c1(
    key: [UInt8], random: [UInt8], request: [UInt8], response: [UInt8], initiator: TypedAddress,
    responder: TypedAddress
  ) -> [UInt8] {
    let p1 = [initiator.isRandom ? 1 : 0, responder.isRandom ? 1 : 0] + request + response
    let p2 = responder.address.littleEndianOctets + initiator.address.littleEndianOctets + [0, 0, 0, 0]
    return e(key: key, plaintext: exclusiveOr(e(key: key, plaintext: exclusiveOr(random, p1)), p2))
  }

  /// Returns the key generation function s1, which yields the Short Term Key (2.2.4). `r1` is the responder's random value, `r2` the
  /// initiator's; 16 octets each.
  package static func s1(key: [UInt8], r1: [UInt8], r2: [UInt8]) -> [UInt8] {
    e(key: key, plaintext: Array(r2.prefix(8)) + Array(r1.prefix(8)))
  }

  private static func exclusiveOr(_ first: [UInt8], _ second: [UInt8]) -> [UInt8] {
    zip(first, second).map { $0 ^ $1 }
  }
}
