import BLECore

/// What this side gives its peers out of band for a pairing with LE Secure Connections, and keeps of it (Core 5.4 Vol 3 Part H
/// 2.3.5.6.4).
public struct OutOfBandOffer: Hashable, Sendable {
  /// The key pair of the pairing for which the data are.
  let keyPair: KeyPair
  /// r, 16 octets.
  let random: [UInt8]

  /// New data; nil when the generator gives no key pair.
  public init?(random: inout some RandomNumberGenerator, usesDebugKeys: Bool = false) {
    guard let pair = usesDebugKeys ? KeyPair.debug : KeyPair(random: &random) else { return nil }
    keyPair = pair
    self.random = random.octets(16)
  }

  /// What the peer is to be given: confirm and random value.
  public var data: OutOfBandData {
    var data = OutOfBandData()
    data.random = random
    data.confirm = SecurityToolbox.f4(u: keyPair.publicKey.x, v: keyPair.publicKey.x, x: random, z: 0)
    return data
  }
}
