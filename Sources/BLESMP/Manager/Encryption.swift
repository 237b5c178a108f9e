import BLECore

extension SecurityManager {
  /// Returns the key that the controller requests (HCI LE Long Term Key Request), 16 octets, least significant first; nil, for the negative
  /// reply, if there is none. While a pairing waits for encryption, this is its key, with EDIV and Rand 0 (2.4.4.1); otherwise it is the
  /// bond's.
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

  /// Handles a change of the link's encryption (HCI Encryption Change, Encryption Key Refresh Complete). `isOn` is false if it could not be
  /// started or has ended.
  package mutating func encryptionChanged(
    isOn: Bool, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    let before = security
    let started = nextKey
    nextKey = nil
    // A key that was not requested here is the bond's, provided by another party, or the previous one.
    keyInUse = isOn ? started?.strength ?? keyInUse ?? bond?.strength ?? .unknown : nil
    if security != before { out.events.append(.securityChanged(security)) }
    switch state {
    case .encrypting:
      state = .idle
      if !isOn { out.events.append(.keyMissing) }
    case .requested where isOn: reset(to: .idle, into: &out)
    case .encryption(let key, let terms, let isDebug):
      guard isOn else { return fail(.unspecifiedReason, into: &out) }
      // Encryption with a key other than that of the pairing does not end phase 2.
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
  /// The strength of an unknown key.
  fileprivate static let unknown = KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 7)
}
