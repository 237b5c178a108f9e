import BLECore

/// The Security Manager of one link, in either role (Core 5.4 Vol 3 Part H). It does no input or output: its inputs are packets, answers,
/// the time and random numbers; its outputs are packets, requests for encryption and events.
package struct SecurityManager: Sendable {
  /// The role on the link: the central initiates, the peripheral responds (2.3).
  package enum Role: Hashable, Sendable { case initiator, responder }

  /// Its role.
  package let role: Role
  /// The addresses of the connection, which are inputs of the confirm values (2.2.3).
  package private(set) var own: TypedAddress
  package let peer: TypedAddress
  /// The identity that this side distributes.
  package var identity: LocalIdentity
  /// The policy of new pairings.
  package var policy: PairingPolicy
  /// The bond with this peer; nil if there is none or the peer is not yet identified. A pairing with bonding sets it.
  package var bond: Bond?
  /// The key strength of all bonds of this side, by the peer's identity. No pairing replaces keys by weaker ones.
  package var bondStrengths: [TypedAddress: KeyStrength] = [:]
  /// The end of the period in which a pairing is answered with Repeated Attempts (2.3.6); see `PairingThrottle`.
  package var blockedUntil: Instant?

  var state = State.idle
  /// When the Security Manager Timer expires (3.4).
  var timeout: Instant?
  /// The question that waits for an answer.
  package internal(set) var question: PairingQuestion?
  /// The keys that were pressed while the passkey question waits.
  var pressed: [Keypress] = []
  /// The key with which encryption is about to start, and the strength of the one that encrypts the link.
  var nextKey: StartingKey?
  var keyInUse: KeyStrength?

  /// A key that was passed to the controller.
  struct StartingKey: Sendable {
    var strength: KeyStrength
    /// Whether it is the key of the pairing in progress, not the bond's.
    var isOfPairing: Bool
  }

  /// The state.
  enum State: Sendable {
    case idle
    /// A responder has sent a Security Request.
    case requested
    /// Consent is being asked for: by a responder with these received features, or by an initiator after a Security Request.
    case consent(PairingFeatures?)
    /// An initiator is encrypting the link with the bond's key.
    case encrypting
    /// An initiator has sent these features.
    case features(PairingFeatures)
    /// An initiator asks for consent to Just Works.
    case confirmation(PairingTerms)
    case legacy(LegacyPairing, PairingTerms)
    case secureConnections(SecureConnectionsPairing, PairingTerms)
    /// The key has been agreed, and encryption with it is about to start.
    case encryption(SharedKey, PairingTerms, isDebug: Bool)
    case distribution(KeyDistribution, PairingTerms, isDebug: Bool)
    /// The timer has expired: no more Security Manager packets are processed on this link (3.4).
    case timedOut
  }

  /// Creates the Security Manager of a new link.
  package init(
    role: Role, own: TypedAddress, peer: TypedAddress, identity: LocalIdentity, policy: PairingPolicy, bond: Bond? = nil
  ) {
    self.role = role
    self.own = own
    self.peer = peer
    self.identity = identity
    self.policy = policy
    self.bond = bond
  }

  /// Sets the own address of the connection when it becomes known. A pairing in progress continues with the previous one.
  package mutating func setOwnAddress(_ address: TypedAddress) {
    if !isPairing { own = address }
  }

  /// The security of the link (Part C 10.2.1), and whether a key for encryption exists.
  package var security: LinkSecurity {
    guard let key = keyInUse else { return LinkSecurity(protection: .none, isBonded: bondKey != nil) }
    let protection: LinkProtection =
      !key.isAuthenticated
      ? .encrypted : key.isSecureConnections && key.keySize == 16 ? .secureConnections : .authenticated
    return LinkSecurity(protection: protection, keySize: key.keySize, isBonded: bondKey != nil)
  }

  /// Whether a pairing is in progress or waits for consent.
  package var isPairing: Bool {
    switch state {
    case .idle, .requested, .encrypting, .timedOut: false
    default: true
    }
  }

  /// The next deadline: the 30 s of 3.4.
  package var nextDeadline: Instant? { timeout }

  /// The bond's key for this role.
  var bondKey: LongTermKey? { role == .responder ? bond?.keyAsPeripheral : bond?.keyAsCentral }

  /// Returns whether that key meets the requirements of AuthReq and the policy.
  func bondSatisfies(_ requirements: PairingRequirements) -> Bool {
    guard let bond, bondKey != nil else { return false }
    return bond.strength.satisfies(requirements)
      && (policy.secureConnections != .only || bond.strength.isSecureConnections)
  }

  /// Returns the reason why no pairing may start now; nil if one may.
  func obstacle(at now: Instant) -> PairingFailed.Reason? {
    guard policy.isPairable else { return .pairingNotSupported }
    guard let blockedUntil, now < blockedUntil else { return nil }
    return .repeatedAttempts
  }

  // MARK: Requests of the owner

  /// Starts security: an initiator encrypts with the bond's key or pairs, a responder sends a Security Request (2.4.6). With `anew` it
  /// pairs even if there is a key. Does nothing while a pairing is in progress.
  package mutating func begin(
    anew: Bool = false, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    switch state {
    case .idle, .requested: break
    case .timedOut: return out.events.append(.timedOut)
    default: return
    }
    let requirements = PairingRequirements(policy)
    // A bond's key need not meet a mere preference, because its pairing could not.
    let needed = policy.requiresAuthentication ? requirements : requirements.subtracting(.authentication)
    let hasKey = !anew && bondSatisfies(needed)
    if let reason = obstacle(at: now), !hasKey { return out.events.append(.failed(reason, byPeer: false)) }
    switch role {
    case .initiator where hasKey: encrypt(into: &out)
    case .initiator: requestPairing(at: now, into: &out)
    case .responder:
      if !anew, let keyInUse, keyInUse.satisfies(requirements) { return }
      state = .requested
      send(SecurityRequest(requirements), at: now, into: &out)
    }
  }

  /// Answers the waiting question; false if the answer does not match it.
  package mutating func answer(
    _ answer: PairingAnswer, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) -> Bool {
    guard let question else { return false }
    switch (question, answer) {
    case (.consent, .refuse): fail(.pairingNotSupported, into: &out)
    case (.comparison, .refuse): fail(.numericComparisonFailed, into: &out)
    case (.passkey, .refuse), (.display, .refuse): fail(.passkeyEntryFailed, into: &out)
    case (.display, .accept): break
    case (.consent, .accept):
      endQuestion(into: &out)
      consent(at: now, random: &random, into: &out)
    case (.comparison, .accept):
      endQuestion(into: &out)
      guard case .secureConnections(var pairing, let terms) = state else { break }
      let actions = pairing.confirmDigits()
      state = .secureConnections(pairing, terms)
      perform(actions, at: now, into: &out)
    case (.passkey, .passkey(let passkey)) where Passkey.range.contains(passkey):
      endQuestion(into: &out)
      type(passkey, at: now, random: &random, into: &out)
    default: return false
    }
    return true
  }

  /// Notifies the peer of a keypress during passkey entry on this side (3.5.8); false if there is no such entry, or the peer does not
  /// support it.
  package mutating func press(_ key: Keypress, at now: Instant, into out: inout SecurityOutput) -> Bool {
    guard question == .passkey, let terms, terms.hasKeypresses else { return false }
    pressed.append(key)
    send(PairingKeypressNotification(key), at: now, into: &out)
    return true
  }

  private var terms: PairingTerms? {
    switch state {
    case .legacy(_, let terms), .secureConnections(_, let terms): terms
    default: nil
    }
  }

  /// Returns the actions after a passkey without repeating keypresses already sent.
  private mutating func withoutPressed(_ actions: [PairingAction]) -> [PairingAction] {
    defer { pressed = [] }
    guard !pressed.isEmpty else { return actions }
    return actions.filter { action in
      guard case .send(let packet) = action, let entered = packet as? PairingKeypressNotification else { return true }
      return entered.keypress == .entryCompleted && !pressed.contains(.entryCompleted)
    }
  }

  private mutating func type(
    _ passkey: UInt32, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    switch state {
    case .legacy(var pairing, let terms):
      let actions = withoutPressed(pairing.type(passkey, random: &random))
      state = .legacy(pairing, terms)
      perform(actions, at: now, into: &out)
    case .secureConnections(var pairing, let terms):
      let actions = withoutPressed(pairing.type(passkey, random: &random))
      state = .secureConnections(pairing, terms)
      perform(actions, at: now, into: &out)
    default: break
    }
  }

  // MARK: The link and the time

  /// Handles the end of the link: a pairing in progress has failed.
  package mutating func linkEnded(into out: inout SecurityOutput) {
    if isPairing { out.events.append(.cut) }
    reset(to: .idle, into: &out)
    nextKey = nil
    keyInUse = nil
  }

  /// Handles a timeout that is due.
  package mutating func advance(to now: Instant, into out: inout SecurityOutput) {
    guard let timeout, timeout <= now else { return }
    reset(to: .timedOut, into: &out)
    out.events.append(.timedOut)
  }
}

extension KeyStrength {
  /// Returns whether a key meets the requirements of AuthReq (2.4.6).
  func satisfies(_ requirements: PairingRequirements) -> Bool {
    isAuthenticated || !requirements.contains(.authentication)
  }
}
