import BLECore

/// What two sides have agreed on in phase 1 of a pairing (Core 5.4 Vol 3 Part H 2.3).
struct PairingTerms: Sendable {
  let role: SecurityManager.Role
  /// The addresses with which the connection was made.
  let ownAddress: PeerIdentity
  let peerAddress: PeerIdentity
  /// What both said.
  let request: PairingFeatures
  let response: PairingFeatures
  /// What this side wants.
  let policy: PairingPolicy
  let isSecureConnections: Bool
  let model: AssociationModel
  /// In octets, 7...16 (2.3.4).
  let keySize: Int

  var own: PairingFeatures { role == .initiator ? request : response }
  var peer: PairingFeatures { role == .initiator ? response : request }
  var initiatorAddress: PeerIdentity { role == .initiator ? ownAddress : peerAddress }
  var responderAddress: PeerIdentity { role == .initiator ? peerAddress : ownAddress }

  /// Whether both sides keep the keys.
  var isBonding: Bool { own.requirements.contains(.bonding) && peer.requirements.contains(.bonding) }
  /// Whether both sides send keypress notifications.
  var hasKeypresses: Bool { own.requirements.contains(.keypress) && peer.requirements.contains(.keypress) }
  /// How good the keys will be.
  var strength: KeyStrength {
    KeyStrength(
      isAuthenticated: model.isAuthenticated, isSecureConnections: isSecureConnections, keySize: keySize)
  }

  /// The keys that this side sends, and those that it is sent (3.6.1). Secure Connections need no Long Term Key to travel, and
  /// a link key never travels.
  var sends: KeyKinds { kinds(role == .initiator ? response.initiatorKeys : response.responderKeys) }
  var receives: KeyKinds { kinds(role == .initiator ? response.responderKeys : response.initiatorKeys) }
  /// Whether a BR/EDR link key follows: both keys are asked for, and only Secure Connections have one (2.4.2.4).
  var derivesLinkKey: Bool {
    isSecureConnections && response.initiatorKeys.contains(.link) && response.responderKeys.contains(.link)
  }
  var usesH7: Bool { own.requirements.contains(.h7) && peer.requirements.contains(.h7) }

  private func kinds(_ agreed: KeyKinds) -> KeyKinds {
    agreed.intersection(isSecureConnections ? [.identity, .signing] : [.encryption, .identity, .signing])
  }

  /// What follows from both packets; throws what this side answers when it cannot go on. `bond` is the bond that the pairing
  /// would replace.
  init(
    role: SecurityManager.Role, own: PeerIdentity, peer: PeerIdentity, request: PairingFeatures,
    response: PairingFeatures, policy: PairingPolicy, bond: Bond?
  ) throws(PairingFailed.Reason) {
    self.role = role
    ownAddress = own
    peerAddress = peer
    self.request = request
    self.response = response
    self.policy = policy
    isSecureConnections =
      request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
    let (ownFeatures, peerFeatures) = role == .initiator ? (request, response) : (response, request)
    model = AssociationModel(
      own: ownFeatures, peer: peerFeatures, role: role, isSecureConnections: isSecureConnections)
    keySize = Int(min(request.maximumKeySize, response.maximumKeySize))
    if role == .initiator {
      // A responder may take keys away, and not add any (3.6.1).
      guard response.initiatorKeys.isSubset(of: request.initiatorKeys),
        response.responderKeys.isSubset(of: request.responderKeys)
      else { throw .invalidParameters }
    }
    try checkPolicy()
    if let bond { try checkDowngrade(of: bond.strength) }
  }

  /// 2.3.1, 2.3.4, and Secure Connections Only mode (Part C 10.2.4).
  private func checkPolicy() throws(PairingFailed.Reason) {
    if policy.secureConnections == .only {
      guard isSecureConnections else { throw .authenticationRequirements }
      guard keySize == 16 else { throw .encryptionKeySize }
    }
    guard !policy.requiresAuthentication || model.isAuthenticated else { throw .authenticationRequirements }
    guard !policy.takesOnlyJustWorks || model == .justWorks else { throw .authenticationRequirements }
    guard keySize >= policy.keySizes.lowerBound else { throw .encryptionKeySize }
    guard model != .outOfBand || hasOutOfBandData else { throw .outOfBandNotAvailable }
  }

  /// Whether this side has what it says, and what the peer says to have of it.
  private var hasOutOfBandData: Bool {
    guard isSecureConnections else { return policy.outOfBand?.temporaryKey?.count == 16 }
    let hasPeers = policy.outOfBand?.confirm?.count == 16 && policy.outOfBand?.random?.count == 16
    return (own.outOfBandFlag == 0 || hasPeers) && (peer.outOfBandFlag == 0 || policy.ownOutOfBand != nil)
  }

  /// A bond is not replaced by a weaker one.
  private func checkDowngrade(of old: KeyStrength) throws(PairingFailed.Reason) {
    guard policy.refusesWeakerKeys else { return }
    guard model.isAuthenticated || !old.isAuthenticated, isSecureConnections || !old.isSecureConnections else {
      throw .authenticationRequirements
    }
    guard keySize >= old.keySize else { throw .encryptionKeySize }
  }
}

extension PairingFeatures {
  /// What an initiator says, or a responder whatever the request says.
  init(_ policy: PairingPolicy, role: SecurityManager.Role) {
    self.init()
    ioCapability = policy.ioCapability.rawValue
    requirements = PairingRequirements(policy)
    maximumKeySize = UInt8(min(max(policy.keySizes.upperBound, 7), 16))
    let own = policy.bonds ? policy.distributedKeys : []
    let peer = policy.bonds ? policy.wants : []
    initiatorKeys = role == .initiator ? own : peer
    responderKeys = role == .initiator ? peer : own
    let data = policy.outOfBand
    let hasLegacy = data?.temporaryKey != nil && policy.secureConnections != .only
    let hasSecureConnections = data?.confirm != nil && policy.secureConnections != .none
    outOfBandFlag = hasLegacy || hasSecureConnections ? 1 : 0
  }

  /// What a responder says to a request: keys only that the initiator offers and wants, and none without bonding, because nobody
  /// keeps them and an identity would be given away for nothing (3.6.1, Part C 9.4); of the out-of-band data those of the
  /// generation that both have.
  init(answering request: PairingFeatures, _ policy: PairingPolicy) {
    self.init(policy, role: .responder)
    initiatorKeys.formIntersection(request.initiatorKeys)
    responderKeys.formIntersection(request.responderKeys)
    if !request.requirements.contains(.bonding) { (initiatorKeys, responderKeys) = ([], []) }
    let isSecureConnections = requirements.intersection(request.requirements).contains(.secureConnections)
    let data = policy.outOfBand
    outOfBandFlag = (isSecureConnections ? data?.confirm : data?.temporaryKey) == nil ? 0 : 1
  }

  /// Whether every field is within its range (3.5.1).
  var isValid: Bool {
    IOCapability(rawValue: ioCapability) != nil && outOfBandFlag <= 1 && (7...16).contains(maximumKeySize)
  }

  /// What f6 takes (2.2.8).
  var inputOutput: [UInt8] { [ioCapability, outOfBandFlag, requirements.rawValue] }
}

extension PairingRequirements {
  /// What a policy asks for.
  init(_ policy: PairingPolicy) {
    self = []
    if policy.bonds { insert(.bonding) }
    if policy.requiresAuthentication || policy.prefersAuthentication { insert(.authentication) }
    if policy.secureConnections != .none { insert(.secureConnections) }
    if policy.sendsKeypresses { insert(.keypress) }
    if policy.supportsH7 && policy.secureConnections != .none { insert(.h7) }
  }
}
