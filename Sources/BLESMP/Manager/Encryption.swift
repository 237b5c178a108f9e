import BLECore

extension SecurityManager {
  /// The key that the controller asks for (HCI LE Long Term Key Request), 16 octets, least significant first; nil when there is none,
  /// which is the negative reply. While a pairing waits for encryption it is the key of that pairing, whose EDIV and Rand are 0
  /// (2.4.4.1); else the bond's.
  package mutating func longTermKey(random: UInt64, diversifier: UInt16) -> [UInt8]? {
    guard role == .responder else { return nil }
    if case .encryption(let key, let terms, _) = state, random == 0, diversifier == 0 {
      nextKey = StartingKey(strength: terms.strength, isOfPairing: true)
      return key.key
    }
    guard let bond, let key = bondKey, key.random == random, key.diversifier == diversifier else { return nil }
    nextKey = StartingKey(strength: bond.strength, isOfPairing: false)
    return key.key
  }

  /// The link's encryption has changed (HCI Encryption Change, Encryption Key Refresh Complete); `isOn` false when it could not be
  /// started or has ended.
  package mutating func encryptionChanged(
    isOn: Bool, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    let before = security
    let started = nextKey
    nextKey = nil
    // A key that was not asked for here is the bond's, given by somebody who knows it, or the one that was there before.
    keyInUse = isOn ? started?.strength ?? keyInUse ?? bond?.strength ?? .unknown : nil
    if security != before { out.events.append(.securityChanged(security)) }
    switch state {
    case .encrypting:
      state = .idle
      if !isOn { out.events.append(.keyMissing) }
    case .requested where isOn: reset(to: .idle, into: &out)
    case .encryption(let key, let terms, let isDebug):
      guard isOn else { return fail(.unspecifiedReason, into: &out) }
      // Encryption with another key than that of the pairing does not end phase 2.
      guard started?.isOfPairing == true else { return }
      distribute(key, terms, isDebug: isDebug, at: now, random: &random, into: &out)
    case .distribution where !isOn: fail(.unspecifiedReason, into: &out)
    default: break
    }
  }

  private mutating func distribute(
    _ key: SharedKey, _ terms: PairingTerms, isDebug: Bool, at now: Instant,
    random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    var actions: [PairingAction] = []
    let distribution = KeyDistribution(terms, key: key, identity: identity, random: &random, actions: &actions)
    state = .distribution(distribution, terms, isDebug: isDebug)
    perform(actions, at: now, into: &out)
  }
}

extension KeyStrength {
  /// Of a key that nothing is known of.
  fileprivate static let unknown = KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 7)
}
