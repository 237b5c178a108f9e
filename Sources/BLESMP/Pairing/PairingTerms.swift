import BLECore

/// The result of phase 1 of a pairing (Core 5.4 Vol 3 Part H 2.3).
struct PairingTerms: Sendable {
  let role: SecurityManager.Role
  /// The addresses of the connection.
  let ownAddress: TypedAddress
  let peerAddress: TypedAddress
  /// The features that both sides sent.
  let request: PairingFeatures
  let response: PairingFeatures
  /// The policy of this side.
  let policy: PairingPolicy
  let isSecureConnections: Bool
  let model: AssociationModel
  /// In octets, 7...16 (2.3.4).
  let keySize: Int

  var own: PairingFeatures { role == .initiator ? request : response }
  var peer: PairingFeatures { role == .initiator ? response : request }
  var initiatorAddress: TypedAddress { role == .initiator ? ownAddress : peerAddress }
  var responderAddress: TypedAddress { role == .initiator ? peerAddress : ownAddress }

  /// Whether both sides store the keys.
  var isBonding: Bool { own.requirements.contains(.bonding) && peer.requirements.contains(.bonding) }
  /// Whether both sides send keypress notifications.
  var hasKeypresses: Bool { own.requirements.contains(.keypress) && peer.requirements.contains(.keypress) }
  /// The strength of the resulting keys.
  var strength: KeyStrength {
    KeyStrength(
      isAuthenticated: model.isAuthenticated, isSecureConnections: isSecureConnections, keySize: keySize)
  }

  /// The keys that this side sends and receives (3.6.1). With Secure Connections the Long Term Key is not distributed, and a link key never
  /// is.
  var sends: KeyKinds { kinds(role == .initiator ? response.initiatorKeys : response.responderKeys) }
  var receives: KeyKinds { kinds(role == .initiator ? response.responderKeys : response.initiatorKeys) }
  /// Whether a BR/EDR link key is derived: both sides request it, and it requires Secure Connections (2.4.2.4).
  var derivesLinkKey: Bool {
    isSecureConnections && response.initiatorKeys.contains(.link) && response.responderKeys.contains(.link)
  }
  var usesH7: Bool { own.requirements.contains(.h7) && peer.requirements.contains(.h7) }

  private func kinds(_ agreed: KeyKinds) -> KeyKinds {
    agreed.intersection(isSecureConnections ? [.identity, .signing] : [.encryption, .identity, .signing])
  }

  /// Derives the terms from both packets. Throws the reason to send if this side cannot continue. `bond` is the bond that the pairing would
  /// replace.
  init(
    role: SecurityManager.Role, own: TypedAddress, peer: TypedAddress, request: PairingFeatures,
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
      // A responder may remove keys, but not add any (3.6.1).
      guard response.initiatorKeys.isSubset(of: request.initiatorKeys),
        response.responderKeys.isSubset(of: request.responderKeys)
      else { throw .invalidParameters }
    }
    try checkPolicy()
    if let bond { try checkDowngrade(of: bond.strength) }
  }

  /// Creates the terms over BR/EDR, where the devices are authenticated already, with keys of that strength.
  init(
    role: SecurityManager.Role, peer: TypedAddress, request: PairingFeatures, response: PairingFeatures,
    policy: PairingPolicy,
    strength: KeyStrength
  ) {
    self.role = role
    (ownAddress, peerAddress) = (peer, peer)
    (self.request, self.response, self.policy) = (request, response, policy)
    isSecureConnections = true
    model = strength.isAuthenticated ? .numericComparison : .justWorks
    keySize = min(strength.keySize, Int(min(request.maximumKeySize, response.maximumKeySize)))
  }

  /// Checks 2.3.1, 2.3.4, and Secure Connections Only mode (Part C 10.2.4).
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

  /// Whether this side has the out-of-band data that it claims, and that the peer claims to have from it.
  private var hasOutOfBandData: Bool {
    guard isSecureConnections else { return policy.outOfBand?.temporaryKey?.count == 16 }
    let hasPeers = policy.outOfBand?.confirm?.count == 16 && policy.outOfBand?.random?.count == 16
    return (own.outOfBandFlag == 0 || hasPeers) && (peer.outOfBandFlag == 0 || policy.ownOutOfBand != nil)
  }

  /// Checks that a bond is not replaced by a weaker one.
  private func checkDowngrade(of old: KeyStrength) throws(PairingFailed.Reason) {
    guard policy.refusesWeakerKeys else { return }
    guard model.isAuthenticated || !old.isAuthenticated, isSecureConnections || !old.isSecureConnections else {
      throw .authenticationRequirements
    }
    guard keySize >= old.keySize else { throw .encryptionKeySize }
  }
}

extension PairingFeatures {
  /// Creates the features of an initiator, or of a responder regardless of the request.
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

  /// Creates the features that answer a request. Keys are limited to those that the initiator offers and requests. Without bonding there
  /// are none, because nobody stores them and an identity would be disclosed for nothing (3.6.1, Part C 9.4). The out-of-band flag is for
  /// the pairing method that both sides support.
  init(answering request: PairingFeatures, _ policy: PairingPolicy) {
    self.init(policy, role: .responder)
    initiatorKeys.formIntersection(request.initiatorKeys)
    responderKeys.formIntersection(request.responderKeys)
    if !request.requirements.contains(.bonding) { (initiatorKeys, responderKeys) = ([], []) }
    let isSecureConnections = requirements.intersection(request.requirements).contains(.secureConnections)
    let data = policy.outOfBand
    outOfBandFlag = (isSecureConnections ? data?.confirm : data?.temporaryKey) == nil ? 0 : 1
  }

  /// Whether every field is in range (3.5.1).
  var isValid: Bool {
    IOCapability(rawValue: ioCapability) != nil && outOfBandFlag <= 1 && hasValidKeySize
  }

  var hasValidKeySize: Bool { (7...16).contains(maximumKeySize) }

  /// The input of f6 (2.2.8).
  var inputOutput: [UInt8] { [ioCapability, outOfBandFlag, requirements.rawValue] }
}

extension PairingRequirements {
  /// Creates the requirements of a policy.
  init(_ policy: PairingPolicy) {
    self = []
    if policy.bonds { insert(.bonding) }
    if policy.requiresAuthentication || policy.prefersAuthentication { insert(.authentication) }
    if policy.secureConnections != .none { insert(.secureConnections) }
    if policy.sendsKeypresses { insert(.keypress) }
    if policy.supportsH7 && policy.secureConnections != .none { insert(.h7) }
  }
}
