import BLECore
import BLECryptography

/// Phase 3 of a pairing: key distribution, first by the responder, then by the initiator (Core 5.4 Vol 3 Part H 2.4.3, 3.6.1).
struct KeyDistribution: Sendable {
  private let terms: PairingTerms
  /// The packets that the peer still has to send, in order.
  private var awaited: [SMPCode]
  private var bond: Bond
  private var received = LongTermKey(key: [])
  /// The known identity of the peer: the address of the connection, until the peer has sent its identity address.
  var peer: TypedAddress { bond.peer }

  /// Starts the distribution, once the link is encrypted.
  init(
    _ terms: PairingTerms, key: SharedKey, identity: LocalIdentity, random: inout some RandomNumberGenerator,
    actions: inout [PairingAction]
  ) {
    self.terms = terms
    awaited = Self.codes(terms.receives)
    bond = Bond(peer: terms.peerAddress, strength: terms.strength)
    if terms.isSecureConnections {
      bond.keyAsPeripheral = kept(LongTermKey(key: key.key))
      bond.keyAsCentral = bond.keyAsPeripheral
      // Derived from the whole key, whatever the agreed size (2.4.2.4).
      if terms.derivesLinkKey { bond.linkKey = SecurityToolbox.linkKey(from: key.whole, usesH7: terms.usesH7) }
    }
    if terms.role == .responder { actions += send(identity, random: &random) }
    actions += proceed(identity, random: &random)
  }

  private static func codes(_ kinds: KeyKinds) -> [SMPCode] {
    (kinds.contains(.encryption) ? [.encryptionInformation, .centralIdentification] : [])
      + (kinds.contains(.identity) ? [.identityInformation, .identityAddressInformation] : [])
      + (kinds.contains(.signing) ? [.signingInformation] : [])
  }

  /// Processes a key from the peer.
  mutating func receive(
    _ key: DistributedKey, identity: LocalIdentity, random: inout some RandomNumberGenerator
  ) -> [PairingAction] {
    guard key.code == awaited.first else { return [.fail(.unspecifiedReason)] }
    awaited.removeFirst()
    switch key {
    case .longTermKey(let octets): received.key = octets.masked(to: terms.keySize)
    case .identification(let name):
      received.diversifier = name.diversifier
      received.random = name.random
      bond.keyAsCentral = kept(received)
    case .resolvingKey(let octets): bond.identityResolvingKey = IdentityResolvingKey(octets)?.octets
    case .address(let address):
      guard let identity = address.identity else { return [.fail(.invalidParameters)] }
      bond.peer = identity
    case .signingKey(let octets): bond.peerSigning = SigningKey(key: octets)
    }
    return proceed(identity, random: &random)
  }

  /// Continues the distribution: the initiator sends its keys when it has the responder's. With the keys of both sides the pairing is complete.
  private mutating func proceed(
    _ identity: LocalIdentity, random: inout some RandomNumberGenerator
  ) -> [PairingAction] {
    guard awaited.isEmpty else { return [] }
    return (terms.role == .initiator ? send(identity, random: &random) : []) + [.complete(bond)]
  }

  private mutating func send(
    _ identity: LocalIdentity, random: inout some RandomNumberGenerator
  ) -> [PairingAction] {
    var actions: [PairingAction] = []
    if terms.sends.contains(.encryption) {
      // If both were 0, they would identify the key of Secure Connections.
      let name = CentralIdentification(
        diversifier: UInt16.random(in: 1...0xFFFF, using: &random), random: random.next())
      let key = random.octets(16).masked(to: terms.keySize)
      bond.keyAsPeripheral = kept(LongTermKey(key: key, diversifier: name.diversifier, random: name.random))
      actions += [.send(EncryptionInformation(key)), .send(name)]
    }
    if terms.sends.contains(.identity) {
      // All zeros mean no key.
      let key = identity.identityResolvingKey.flatMap(IdentityResolvingKey.init)?.octets
      actions += [
        .send(IdentityInformation(key ?? Array(repeating: 0, count: 16))),
        .send(IdentityAddressInformation(identity.address)),
      ]
    }
    if terms.sends.contains(.signing) {
      let key = random.octets(16)
      bond.ownSigning = SigningKey(key: key)
      actions.append(.send(SigningInformation(key)))
    }
    return actions
  }

  /// Returns the key to store: a wrong one if that fault is set.
  private func kept(_ key: LongTermKey) -> LongTermKey {
    guard terms.policy.faults.contains(.keepsWrongKey), !key.key.isEmpty else { return key }
    var wrong = key
    wrong.key[0] ^= 0xFF
    return wrong
  }
}

extension DistributedKey {
  fileprivate var code: SMPCode {
    switch self {
    case .longTermKey: .encryptionInformation
    case .identification: .centralIdentification
    case .resolvingKey: .identityInformation
    case .address: .identityAddressInformation
    case .signingKey: .signingInformation
    }
  }
}
