import BLECore

/// A pairing over BR/EDR: the link key is there already, the Long Term Key of LE is derived from it, and the other keys are distributed
/// (Core 5.4 Vol 3 Part H 2.4.2.5, Part C 14.1). The central of the link initiates it.
package struct CrossTransportPairing: Sendable {
  /// The link key of a link, and its strength.
  package struct LinkKey: Sendable {
    var octets: [UInt8]
    var strength: KeyStrength

    /// Creates a key of 16 octets, least significant first.
    package init(_ octets: [UInt8], strength: KeyStrength) {
      self.octets = octets
      self.strength = strength
    }
  }

  private let peer: TypedAddress
  private let identity: LocalIdentity
  private let policy: PairingPolicy
  /// This side's request, until the peer has responded, the key of the link, and the bond that the derived keys would join.
  private var request: (features: PairingFeatures, key: LinkKey, bond: Bond?)?
  private var distribution: KeyDistribution?
  /// When the Security Manager Timer expires (3.4); nil without a pairing.
  package private(set) var nextDeadline: Instant?
  private var hasTimedOut = false

  /// Creates the pairing of a link with the peer of that identity.
  package init(peer: TypedAddress, identity: LocalIdentity, policy: PairingPolicy) {
    self.peer = peer
    self.identity = identity
    self.policy = policy
  }

  /// Processes a packet of the peer. `key` is the key that encrypts the link, nil if it is not encrypted; `bond` is what is known about the
  /// peer.
  package mutating func receive(
    _ packet: Span<UInt8>, key: LinkKey?, bond: Bond?, at now: Instant, random: inout some RandomNumberGenerator,
    into out: inout SecurityOutput
  ) {
    guard !hasTimedOut else { return }
    let input: SMPInput
    do {
      guard let known = try SMPInput(packet) else { return }
      input = known
    } catch { return fail(.invalidParameters, into: &out) }
    switch input {
    case .pairingRequest(let features):
      respond(to: features, key: key, bond: bond, at: now, random: &random, into: &out)
    case .pairingResponse(let features): receiveResponse(features, at: now, random: &random, into: &out)
    case .key(let received):
      guard let actions = distribution?.receive(received, identity: identity, random: &random) else {
        return fail(.unspecifiedReason, into: &out)
      }
      perform(actions, at: now, into: &out)
    case .failed(let reason):
      guard distribution != nil || request != nil else { return }
      end()
      out.events.append(.failed(reason, byPeer: true))
    // The packets of phase 2 do not exist here (3.5, table 3.3).
    default: fail(.commandNotSupported, into: &out)
    }
  }

  /// Requests the derivation, once a new link key encrypts the link. Does nothing if the key, the bond or the policy does not allow it.
  package mutating func begin(key: LinkKey, bond: Bond?, at now: Instant, into out: inout SecurityOutput) {
    let features = PairingFeatures(overLinkKey: key.strength, policy, role: .initiator)
    guard !hasTimedOut, distribution == nil, request == nil, policy.isPairable, features.deriveLongTermKey,
      allows(key, replacing: bond)
    else { return }
    request = (features, key, bond)
    perform([.send(PairingRequest(features))], at: now, into: &out)
  }

  private mutating func respond(
    to request: PairingFeatures, key: LinkKey?, bond: Bond?, at now: Instant,
    random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    guard policy.isPairable else { return fail(.pairingNotSupported, into: &out) }
    guard let key, allows(key, replacing: nil) else { return fail(.crossTransportNotAllowed, into: &out) }
    guard request.hasValidKeySize else { return fail(.invalidParameters, into: &out) }
    guard let key = agreed(key, with: request, replacing: bond, into: &out) else { return }
    var response = PairingFeatures(overLinkKey: key.strength, policy, role: .responder)
    response.initiatorKeys.formIntersection(request.initiatorKeys)
    response.responderKeys.formIntersection(request.responderKeys)
    guard response.deriveLongTermKey else { return fail(.crossTransportNotAllowed, into: &out) }
    distribute(
      .responder, request, response, key, [.send(PairingResponse(response))], at: now, random: &random, into: &out)
  }

  private mutating func receiveResponse(
    _ response: PairingFeatures, at now: Instant, random: inout some RandomNumberGenerator,
    into out: inout SecurityOutput
  ) {
    guard let (request, key, bond) = request else { return fail(.unspecifiedReason, into: &out) }
    // A responder may remove keys, but not add any (3.6.1).
    guard response.hasValidKeySize, response.initiatorKeys.isSubset(of: request.initiatorKeys),
      response.responderKeys.isSubset(of: request.responderKeys)
    else { return fail(.invalidParameters, into: &out) }
    guard response.deriveLongTermKey else { return fail(.crossTransportNotAllowed, into: &out) }
    guard let key = agreed(key, with: response, replacing: bond, into: &out) else { return }
    self.request = nil
    distribute(.initiator, request, response, key, [], at: now, random: &random, into: &out)
  }

  /// Returns the key with the size that the peer's features leave of it, or fails if that is too short, or weaker than what it would replace.
  private mutating func agreed(
    _ key: LinkKey, with features: PairingFeatures, replacing bond: Bond?, into out: inout SecurityOutput
  ) -> LinkKey? {
    var agreed = key
    agreed.strength.keySize = min(key.strength.keySize, Int(features.maximumKeySize))
    guard agreed.strength.keySize >= policy.keySizes.lowerBound else {
      fail(.encryptionKeySize, into: &out)
      return nil
    }
    guard allows(agreed, replacing: bond) else {
      fail(.crossTransportNotAllowed, into: &out)
      return nil
    }
    return agreed
  }

  /// Derives the key, and begins to distribute the others after these actions.
  private mutating func distribute(
    _ role: SecurityManager.Role, _ request: PairingFeatures, _ response: PairingFeatures, _ key: LinkKey,
    _ first: [PairingAction], at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    let terms = PairingTerms(
      role: role, peer: peer, request: request, response: response, policy: policy, strength: key.strength)
    let longTermKey = SecurityToolbox.longTermKey(from: key.octets, usesH7: terms.usesH7)
    var actions = first
    distribution = KeyDistribution(
      terms, key: SharedKey(longTermKey, size: terms.keySize), identity: identity, random: &random, actions: &actions)
    perform(actions, at: now, into: &out)
  }

  /// Returns whether keys of LE may be derived from that key, in place of those of a bond.
  private func allows(_ key: LinkKey, replacing bond: Bond?) -> Bool {
    key.strength.isSecureConnections && policy.secureConnections != .none
      && bond?.isReplaceable(by: key.strength, policy) ?? true
  }

  private mutating func perform(_ actions: [PairingAction], at now: Instant, into out: inout SecurityOutput) {
    for action in actions {
      switch action {
      case .send(let packet):
        out.packets.append(packet.packet)
        nextDeadline = now + SecurityManager.timerLength
      case .fail(let reason): return fail(reason, into: &out)
      case .complete(let bond):
        end()
        out.events.append(.paired(bond, bonded: bond.peer.isIdentity))
      case .ask, .endQuestion, .pressed, .agree: break
      }
    }
  }

  private mutating func fail(_ reason: PairingFailed.Reason, into out: inout SecurityOutput) {
    end()
    out.packets.append(PairingFailed(reason: reason).packet)
    out.events.append(.failed(reason, byPeer: false))
  }

  private mutating func end() {
    (request, distribution) = (nil, nil)
    nextDeadline = nil
  }

  /// Ends a pairing whose peer does not continue. No further one begins on the link (3.4).
  package mutating func advance(to now: Instant, into out: inout SecurityOutput) {
    guard let nextDeadline, nextDeadline <= now else { return }
    end()
    hasTimedOut = true
    out.events.append(.timedOut)
  }
}

extension Bond {
  /// Returns whether derived keys of that strength may replace those of LE (Core 5.4 Vol 3 Part C 14.1).
  fileprivate func isReplaceable(by new: KeyStrength, _ policy: PairingPolicy) -> Bool {
    guard policy.refusesWeakerKeys, keyAsPeripheral != nil || keyAsCentral != nil else { return true }
    return new.isAtLeast(strength)
  }
}

extension PairingFeatures {
  /// Whether both sides have a Long Term Key of LE afterwards.
  fileprivate var deriveLongTermKey: Bool { initiatorKeys.contains(.encryption) && responderKeys.contains(.encryption) }

  /// Creates the features of this side over BR/EDR. The devices are paired already, so IO capabilities, the flag of out-of-band data and all
  /// requirements but h7 are zero, and those of the peer do not count; the key size is that of the link (3.5.1). The link key is there already.
  fileprivate init(overLinkKey key: KeyStrength, _ policy: PairingPolicy, role: SecurityManager.Role) {
    self.init(policy, role: role)
    (ioCapability, outOfBandFlag) = (0, 0)
    requirements.formIntersection(.h7)
    maximumKeySize = UInt8(key.keySize)
    initiatorKeys.remove(.link)
    responderKeys.remove(.link)
  }
}
