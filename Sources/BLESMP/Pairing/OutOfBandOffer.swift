import BLECore
import BLECryptography

/// The out-of-band data that this side gives its peers for a pairing with LE Secure Connections, and the secrets that it keeps (Core 5.4
/// Vol 3 Part H 2.3.5.6.4).
public struct OutOfBandOffer: Hashable, Sendable {
  /// The key pair of the pairing that uses the data.
  let keyPair: KeyPair
  /// r, 16 octets.
  let random: [UInt8]

  /// Creates new data; nil if the generator yields no key pair.
  public init?(random: inout some RandomNumberGenerator, usesDebugKeys: Bool = false) {
    guard let pair = usesDebugKeys ? KeyPair.debug : KeyPair(random: &random) else { return nil }
    keyPair = pair
    self.random = random.octets(16)
  }

  /// The data for the peer: confirm and random value.
  public var data: OutOfBandData {
    var data = OutOfBandData()
    data.random = random
    data.confirm = SecurityToolbox.f4(u: keyPair.publicKey.x, v: keyPair.publicKey.x, x: random, z: 0)
    return data
  }
}
