import BLECore
import CryptoExtras

/// A point on the curve P-256 as sent: the public key of one side (Core 5.4 Vol 3 Part H 3.5.6).
package struct PublicKey: Hashable, Sendable {
  /// The coordinates, 32 octets each, least significant first.
  package var x: [UInt8]
  package var y: [UInt8]

  /// Creates a point, which need not be on the curve.
  package init(x: [UInt8], y: [UInt8]) {
    self.x = x
    self.y = y
  }

  /// Creates the point of 64 octets in HCI: x, then y (Core 5.4 Vol 4 Part E 7.8.37). It need not be on the curve.
  package init(octets: [UInt8]) { self.init(x: Array(octets.prefix(32)), y: Array(octets.dropFirst(32))) }

  /// The point in HCI, 64 octets: x, then y.
  package var octets: [UInt8] { x + y }
}

/// A P-256 key pair of one side (Core 5.4 Vol 3 Part H 2.3.5.6.1).
package struct KeyPair: Hashable, Sendable {
  private let key: P256.KeyAgreement.PrivateKey
  /// The key that is sent to the peer.
  package let publicKey: PublicKey

  /// Creates the pair with this private key of 32 octets, least significant first; nil if it is zero or not below the order of the curve.
  package init?(privateKey: [UInt8]) {
    guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(privateKey.reversed())) else {
      return nil
    }
    self.key = key
    let octets = Array(key.publicKey.rawRepresentation)
    publicKey = PublicKey(x: octets.prefix(32).reversed(), y: octets.suffix(32).reversed())
  }

  /// Creates a new pair. One draw in 4 billion is not a valid private key and is repeated; nil if the generator yields only such draws.
  package init?(random: inout some RandomNumberGenerator) {
    for _ in 0..<8 {
      guard let pair = KeyPair(privateKey: random.octets(32)) else { continue }
      self = pair
      return
    }
    return nil
  }

  /// The well-known debug key pair, with which captures can be decrypted.
  package static let debug = KeyPair(privateKey: [
    0xBD, 0x1A, 0x3C, 0xCD, 0xA6, 0xB8, 0x99, 0x58, 0x99, 0xB7, 0x40, 0xEB, 0x7B, 0x60, 0xFF, 0x4A,
    0x50, 0x3F, 0x10, 0xD2, 0xE3, 0xB3, 0xC9, 0x74, 0x38, 0x5F, 0xC5, 0xA3, 0xD4, 0xF6, 0x49, 0x3F,
  ])

  /// 32 octets, least significant first.
  package var privateKey: [UInt8] { key.rawRepresentation.reversed() }

  /// Returns the DHKey, 32 octets, least significant first; nil if the peer's key is not a point on the curve.
  package func sharedSecret(with peer: PublicKey) -> [UInt8]? {
    guard peer.x.count == 32, peer.y.count == 32,
      let point = try? P256.KeyAgreement.PublicKey(rawRepresentation: peer.x.reversed() + peer.y.reversed()),
      let secret = try? key.sharedSecretFromKeyAgreement(with: point)
    else { return nil }
    return secret.withUnsafeBytes { $0.reversed() }
  }

  // The private key follows from the public one, and cannot be compared.

  package static func == (one: KeyPair, other: KeyPair) -> Bool { one.publicKey == other.publicKey }

  package func hash(into hasher: inout Hasher) { hasher.combine(publicKey) }
}
