import BLECore
import CryptoExtras

/// A P-256 key pair of a controller (Core 5.4 Vol 4 Part E 7.8.36, 7.8.37). Keys come in and go out as HCI carries them,
/// each coordinate least significant octet first.
struct KeyAgreement {
  private let key: P256.KeyAgreement.PrivateKey

  /// The pair with that private key; nil when it is zero or not below the order of the curve.
  init?(privateKey: [UInt8]) {
    guard let key = try? P256.KeyAgreement.PrivateKey(rawRepresentation: Array(privateKey.reversed())) else {
      return nil
    }
    self.key = key
  }

  /// A pair out of a controller's randomness, so that runs repeat: what is agreed on with it is no secret. One draw in four
  /// thousand million is no private key; then it draws again.
  static func drawn(from random: inout SplitMix64) -> KeyAgreement? {
    for _ in 0..<8 {
      let octets = (0..<4).flatMap { _ in withUnsafeBytes(of: random.next().littleEndian, Array.init) }
      if let pair = KeyAgreement(privateKey: octets) { return pair }
    }
    return nil
  }

  /// The pair whose private key everybody knows (Core 5.4 Vol 3 Part H 2.3.5.6.1).
  static let debug = KeyAgreement(privateKey: [
    0xBD, 0x1A, 0x3C, 0xCD, 0xA6, 0xB8, 0x99, 0x58, 0x99, 0xB7, 0x40, 0xEB, 0x7B, 0x60, 0xFF, 0x4A,
    0x50, 0x3F, 0x10, 0xD2, 0xE3, 0xB3, 0xC9, 0x74, 0x38, 0x5F, 0xC5, 0xA3, 0xD4, 0xF6, 0x49, 0x3F,
  ])

  /// x, then y.
  var publicKey: [UInt8] {
    let octets = Array(key.publicKey.rawRepresentation)
    return octets.prefix(32).reversed() + octets.suffix(32).reversed()
  }

  /// The shared secret; nil when the peer's key is no point of the curve.
  func sharedSecret(with publicKey: [UInt8]) -> [UInt8]? {
    let octets = publicKey.prefix(32).reversed() + publicKey.suffix(32).reversed()
    guard publicKey.count == 64, let peer = try? P256.KeyAgreement.PublicKey(rawRepresentation: octets),
      let secret = try? key.sharedSecretFromKeyAgreement(with: peer)
    else { return nil }
    return secret.withUnsafeBytes { $0.reversed() }
  }
}
