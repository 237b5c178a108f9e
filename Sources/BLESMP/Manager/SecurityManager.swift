import BLECore

/// The Security Manager of one link, in either role (Core 5.4 Vol 3 Part H). It has no input or output of its own: packets, answers,
/// the time and randomness go in; packets, requests for encryption and events come out.
package struct SecurityManager: Sendable {
  /// Who of the link it is: the central initiates, the peripheral responds (2.3).
  package enum Role: Hashable, Sendable { case initiator, responder }

  /// Its role.
  package let role: Role
  /// The addresses with which the connection was made: they go into the confirm values (2.2.3).
  package private(set) var own: PeerIdentity
  package let peer: PeerIdentity
  /// What this side gives away of itself.
  package var identity: LocalIdentity
  /// What this side wants of a pairing that begins.
  package var policy: PairingPolicy
  /// The bond with this peer; nil when there is none, or the peer is not known yet. A pairing with bonding sets it.
  package var bond: Bond?
  /// How good the keys are of all bonds that this side has, by the peer's identity: no pairing replaces them by weaker ones.
  package var bondStrengths: [PeerIdentity: KeyStrength] = [:]
  /// Until then a pairing is answered with Repeated Attempts (2.3.6); see `PairingThrottle`.
  package var blockedUntil: Instant?

  var state = State.idle
  /// When the Security Manager Timer runs out (3.4).
  var timeout: Instant?
  /// The question that waits for an answer.
  package internal(set) var question: PairingQuestion?
  /// The keys that were pressed while the question for a passkey waits.
  var pressed: [Keypress] = []
  /// The key with which encryption is about to start, and the one that encrypts the link.
  var nextKey: StartingKey?
  var keyInUse: KeyStrength?

  /// A key that a controller was given.
  struct StartingKey: Sendable {
    var strength: KeyStrength
    /// Whether it is the key of the pairing under way; else it is the bond's.
    var isOfPairing: Bool
  }

  /// What it is doing.
  enum State: Sendable {
    case idle
    /// A responder has sent a Security Request.
    case requested
    /// Somebody is asked whether to pair: a responder because of those features, an initiator because of a Security Request.
    case consent(PairingFeatures?)
    /// An initiator encrypts the link with the bond's key.
    case encrypting
    /// An initiator has sent those features.
    case features(PairingFeatures)
    case legacy(LegacyPairing, PairingTerms)
    case secureConnections(SecureConnectionsPairing, PairingTerms)
    /// The key is agreed on; the link is about to be encrypted with it.
    case encryption(SharedKey, PairingTerms, isDebug: Bool)
    case distribution(KeyDistribution, PairingTerms, isDebug: Bool)
    /// The timer has run out: this link takes no more Security Manager packets (3.4).
    case timedOut
  }

  /// The Security Manager of a new link.
  package init(
    role: Role, own: PeerIdentity, peer: PeerIdentity, identity: LocalIdentity, policy: PairingPolicy, bond: Bond? = nil
  ) {
    self.role = role
    self.own = own
    self.peer = peer
    self.identity = identity
    self.policy = policy
    self.bond = bond
  }

  /// The own address of the connection is known better now. A pairing that has begun goes on with the one that it began with.
  package mutating func setOwnAddress(_ address: PeerIdentity) {
    if !isPairing { own = address }
  }

  /// How the link is protected now (Part C 10.2.1), and whether there is a key that could encrypt it.
  package var security: LinkSecurity {
    guard let key = keyInUse else { return LinkSecurity(protection: .none, isBonded: bondKey != nil) }
    let protection: LinkProtection =
      !key.isAuthenticated
      ? .encrypted : key.isSecureConnections && key.keySize == 16 ? .secureConnections : .authenticated
    return LinkSecurity(protection: protection, keySize: key.keySize, isBonded: bondKey != nil)
  }

  /// Whether a pairing is under way, or waits for somebody's consent.
  package var isPairing: Bool {
    switch state {
    case .idle, .requested, .encrypting, .timedOut: false
    default: true
    }
  }

  /// The next moment at which something is due: the 30 s of 3.4.
  package var nextDeadline: Instant? { timeout }

  /// The bond's key for this role.
  var bondKey: LongTermKey? { role == .responder ? bond?.keyAsPeripheral : bond?.keyAsCentral }

  /// Whether that key is as good as AuthReq and the policy ask for.
  func bondSatisfies(_ requirements: PairingRequirements) -> Bool {
    guard let bond, bondKey != nil else { return false }
    return bond.strength.satisfies(requirements)
      && (policy.secureConnections != .only || bond.strength.isSecureConnections)
  }

  /// Why no pairing may begin now.
  func obstacle(at now: Instant) -> PairingFailed.Reason? {
    guard policy.isPairable else { return .pairingNotSupported }
    guard let blockedUntil, now < blockedUntil else { return nil }
    return .repeatedAttempts
  }

  // MARK: Requests of the owner

  /// Asks for security: the initiator encrypts with the bond's key or pairs, the responder sends a Security Request (2.4.6).
  /// `anew` pairs even when there is a key. Nothing happens while a pairing is under way.
  package mutating func begin(
    anew: Bool = false, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    switch state {
    case .idle, .requested: break
    case .timedOut: return out.events.append(.timedOut)
    default: return
    }
    let requirements = PairingRequirements(policy)
    // What is only preferred a bond's key need not give: its pairing could not.
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

  /// Takes the answer to the question that waits; false when it is no answer to it.
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

  /// Tells the peer that a key was pressed while a passkey is typed here (3.5.8); false when none is, or the peer does not want to know.
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

  /// What follows from a passkey, without telling of keys twice.
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

  /// The link has ended: a pairing under way has failed.
  package mutating func linkEnded(into out: inout SecurityOutput) {
    if isPairing { out.events.append(.cut) }
    reset(to: .idle, into: &out)
    nextKey = nil
    keyInUse = nil
  }

  /// Does what is due.
  package mutating func advance(to now: Instant, into out: inout SecurityOutput) {
    guard let timeout, timeout <= now else { return }
    reset(to: .timedOut, into: &out)
    out.events.append(.timedOut)
  }
}

extension KeyStrength {
  /// Whether a key is as good as AuthReq asks for (2.4.6).
  func satisfies(_ requirements: PairingRequirements) -> Bool {
    isAuthenticated || !requirements.contains(.authentication)
  }
}
