import BLECore
import CryptoExtras

/// A P-256 key pair of a controller (Core 5.4 Vol 4 Part E 7.8.36, 7.8.37). Keys are in HCI order, each coordinate least significant octet
/// first.
struct KeyAgreement {
  private let key: P256.KeyAgreement.PrivateKey

  /// Creates the pair with this private key; nil if it is zero or not below the order of the curve.
  init?(privateKey: [UInt8]) {
    guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(privateKey.reversed())) else {
      return nil
    }
    self.key = key
  }

  /// Draws a pair from a controller's random numbers, so that runs are reproducible; the agreed key is therefore not secret. One draw in 4
  /// billion is not a valid private key and is repeated.
  static func drawn(from random: inout SplitMix64) -> KeyAgreement? {
    for _ in 0..<8 {
      let octets = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next().littleEndian, Array.init) }
      if let pair = KeyAgreement(privateKey: octets) { return pair }
    }
    return nil
  }

  /// The well-known debug key pair (Core 5.4 Vol 3 Part H 2.3.5.6.1).
  static let debug = KeyAgreement(privateKey: [
    0xBD, 0x1A, 0x3C, 0xCD, 0xA6, 0xB8, 0x99, 0x58, 0x99, 0xB7, 0x40, 0xEB, 0x7B, 0x60, 0xFF, 0x4A,
    0x50, 0x3F, 0x10, 0xD2, 0xE3, 0xB3, 0xC9, 0x74, 0x38, 0x5F, 0xC5, 0xA3, 0xD4, 0xF6, 0x49, 0x3F,
  ])

  /// x, then y.
  var publicKey: [UInt8] {
    let octets = Array(key.publicKey.rawRepresentation)
    return octets.prefix(32).reversed() + octets.suffix(32).reversed()
  }

  /// Returns the shared secret; nil if the peer's key is not a point on the curve.
  func sharedSecret(with publicKey: [UInt8]) -> [UInt8]? {
    let octets = publicKey.prefix(32).reversed() + publicKey.suffix(32).reversed()
    guard publicKey.count == 64, let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: octets),
      let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
    else { return nil }
    return secret.withUnsafeBytes { $0.reversed() }
  }
}
