import BLECore
import BLEGATT
import BLEHCI
import BLESMP

/// Secure Simple Pairing, as far as the host takes part (Core 5.4 Vol 4 Part E 7.7.40 to 7.7.49).
extension HostEngine {
  // MARK: - Capabilities

  /// Handles what the peer says of itself, before this side is asked.
  mutating func receive(_ response: HCIIOCapabilityResponse, into out: inout HostOutput) {
    guard let link = classicLink(of: response.address) else { return }
    beginClassicPairing(of: link)
    links[link].classic?.security.pairing?.peer = (response.ioCapability, response.requirements)
  }

  /// Answers what this side's user can see and enter, or refuses to pair.
  mutating func receive(_ request: HCIIOCapabilityRequest, into out: inout HostOutput) {
    let address = request.address
    guard let link = classicLink(of: address) else {
      return hci.commands.add(HCIIOCapabilityRequestNegativeReply { $0.address = address }, for: nil)
    }
    beginClassicPairing(of: link)
    if let reason = pairingObstacle(of: link, at: out.now) {
      return refuseClassicPairing(of: link, reason, into: &out)
    }
    let pairing = links[link].security.policy
    let requirements = links[link].classic?.security.pairing?.own ?? .noBonding
    let reply = HCIIOCapabilityRequestReply {
      $0.address = address
      $0.ioCapability = SimplePairingIOCapability(pairing.ioCapability)
      $0.requirements = requirements
    }
    addClassic(reply, of: link)
  }

  private mutating func beginClassicPairing(of link: LinkID) {
    guard links[link].classic?.security.pairing == nil else { return }
    links[link].security.policy.bonds = policy.security.pairing.bonds && hasRoomForBond(of: link)
    let requirements = AuthenticationRequirements(links[link].security.policy)
    links[link].classic?.security.pairing = ClassicSecurity.Pairing(own: requirements)
  }

  /// Returns why this side does not pair now; nil if it does.
  private func pairingObstacle(of link: LinkID, at now: Instant) -> ErrorCode? {
    let pairing = links[link].security.policy
    guard pairing.isPairable else { return .pairingNotAllowed }
    if throttle.blockedUntil(links[link].security.peer, at: now) != nil { return .repeatedAttempts }
    guard let peer = links[link].classic?.security.pairing?.peer else { return nil }
    // A device that does not bond refuses those that ask for it (Core 5.4 Vol 3 Part C 4.3.1).
    if peer.requirements.bonds, !pairing.bonds { return .pairingNotAllowed }
    guard pairing.requiresAuthentication else { return nil }
    // Without a way to authenticate, the pairing could only end with a key that is too weak.
    let model = AssociationModel(
      own: SimplePairingIOCapability(pairing.ioCapability), peer: peer.capability, needsAuthentication: true)
    return model == .justWorks ? .authenticationFailure : nil
  }

  private mutating func refuseClassicPairing(of link: LinkID, _ reason: ErrorCode, into out: inout HostOutput) {
    let address = links[link].details.peer
    links[link].classic?.security.pairing?.isRefused = true
    let refusal = HCIIOCapabilityRequestNegativeReply {
      $0.address = address
      $0.reason = reason
    }
    addClassic(refusal, of: link)
    classicPairingFailed(of: link, reason, into: &out)
  }

  // MARK: - The user

  /// Handles the six digits that both sides may show. Without protection against a man in the middle, the user is not asked to compare them
  /// (Core 5.4 Vol 3 Part C 5.2.2.6).
  mutating func receive(_ request: HCIUserConfirmationRequest, into out: inout HostOutput) {
    guard let link = classicLink(of: request.address) else { return rejectConfirmation(by: request.address) }
    let model = chooseClassicModel(of: link, into: &out)
    let pairing = links[link].security.policy
    switch model {
    case .numericComparison where pairing.takesOnlyJustWorks: answerClassic(.refuse, on: link, into: &out)
    case .numericComparison: ask(.comparison(request.number.rawValue), of: link, into: &out)
    default:
      if pairing.asksConsent {
        ask(.consent, of: link, into: &out)
      } else {
        confirm(true, link)
      }
    }
  }

  /// Handles the request for the digits that the peer shows.
  mutating func receive(_ request: HCIUserPasskeyRequest, into out: inout HostOutput) {
    guard let link = classicLink(of: request.address) else {
      let address = request.address
      return hci.commands.add(HCIUserPasskeyRequestNegativeReply { $0.address = address }, for: nil)
    }
    _ = chooseClassicModel(of: link, into: &out)
    ask(.passkey, of: link, into: &out)
  }

  /// Handles the digits that this side shows.
  mutating func receive(_ notification: HCIUserPasskeyNotification, into out: inout HostOutput) {
    guard let link = classicLink(of: notification.address) else { return }
    _ = chooseClassicModel(of: link, into: &out)
    ask(.display(notification.passkey.rawValue), of: link, into: &out)
  }

  private mutating func chooseClassicModel(of link: LinkID, into out: inout HostOutput) -> AssociationModel {
    let own = SimplePairingIOCapability(links[link].security.policy.ioCapability)
    guard let pairing = links[link].classic?.security.pairing, let peer = pairing.peer else { return .justWorks }
    if let model = pairing.model { return model }
    let model = AssociationModel(
      own: own, peer: peer.capability,
      needsAuthentication: pairing.own.requiresMITM || peer.requirements.requiresMITM)
    links[link].classic?.security.pairing?.model = model
    out.events.append(
      .security(
        links[link].handle,
        .pairing(model, isSecureConnections: hci.profile.supportsClassicSecureConnections)))
    return model
  }

  private mutating func ask(_ question: PairingQuestion, of link: LinkID, into out: inout HostOutput) {
    links[link].classic?.security.pairing?.question = question
    out.events.append(.security(links[link].handle, .asked(question)))
  }

  /// Answers the question of a pairing; returns false if there is none, or the answer does not fit.
  @discardableResult
  mutating func answerClassic(_ answer: PairingAnswer, on link: LinkID, into out: inout HostOutput) -> Bool {
    guard let question = links[link].classic?.security.pairing?.question else { return false }
    let address = links[link].details.peer
    switch (question, answer) {
    case (.consent, .accept), (.comparison, .accept): confirm(true, link)
    case (.consent, .refuse), (.comparison, .refuse):
      links[link].classic?.security.pairing?.isRefused = true
      confirm(false, link)
    case (.passkey, .passkey(let digits)):
      let reply = HCIUserPasskeyRequestReply {
        $0.address = address
        $0.passkey = NumericValue(rawValue: digits)
      }
      addClassic(reply, of: link)
    case (.passkey, .refuse):
      links[link].classic?.security.pairing?.isRefused = true
      addClassic(HCIUserPasskeyRequestNegativeReply { $0.address = address }, of: link)
    // The only way to end a pairing while the peer's user types is to end the link.
    case (.display, .refuse): disconnect(link, reason: .authenticationFailure)
    default: return false
    }
    endQuestion(of: link, into: &out)
    return true
  }

  private mutating func confirm(_ isSame: Bool, _ link: LinkID) {
    let address = links[link].details.peer
    if isSame {
      addClassic(HCIUserConfirmationRequestReply { $0.address = address }, of: link)
    } else {
      addClassic(HCIUserConfirmationRequestNegativeReply { $0.address = address }, of: link)
    }
  }

  private mutating func rejectConfirmation(by address: DeviceAddress) {
    hci.commands.add(HCIUserConfirmationRequestNegativeReply { $0.address = address }, for: nil)
  }

  // MARK: - The result

  /// Handles the end of a pairing. If it has succeeded, the key follows.
  mutating func receive(_ event: HCISimplePairingComplete, into out: inout HostOutput) {
    guard let link = classicLink(of: event.address) else { return }
    endQuestion(of: link, into: &out)
    guard event.status != .success else { return }
    classicPairingFailed(of: link, event.status, into: &out)
  }

  /// Ends the pairing in progress, if any, with its link.
  mutating func cutClassicPairing(of link: LinkID, into out: inout HostOutput) {
    guard links[link].classic?.security.pairing != nil else { return }
    endQuestion(of: link, into: &out)
    links[link].classic?.security.pairing = nil
    reportSecurity(.cut, of: link, into: &out)
  }

  private mutating func endQuestion(of link: LinkID, into out: inout HostOutput) {
    guard links[link].classic?.security.pairing?.question != nil else { return }
    links[link].classic?.security.pairing?.question = nil
    out.events.append(.security(links[link].handle, .questionEnded))
  }

  /// Reports that a pairing has failed, once.
  private mutating func classicPairingFailed(of link: LinkID, _ status: ErrorCode, into out: inout HostOutput) {
    guard let pairing = links[link].classic?.security.pairing else { return }
    links[link].classic?.security.pairing = nil
    reportSecurity(.failed(.init(status, of: pairing.model), byPeer: !pairing.isRefused), of: link, into: &out)
  }

  /// Takes the key of a pairing (Core 5.4 Vol 4 Part E 7.7.24), unless it is weaker than those of the bond that it would join.
  mutating func receive(_ notification: HCILinkKeyNotification, into out: inout HostOutput) {
    guard let link = classicLink(of: notification.address) else { return }
    let pairing = links[link].classic?.security.pairing
    links[link].classic?.security.pairing = nil
    let unknown = KeyStrength(isAuthenticated: false, isSecureConnections: false, keySize: 16)
    let strength = KeyStrength(linkKeyType: notification.type.rawValue) ?? unknown
    let rules = links[link].security.policy
    let known = bondTable[TypedAddress(address: notification.address, isRandom: false)]?.bond
    let isTooWeak =
      (rules.requiresAuthentication && !strength.isAuthenticated)
      || (rules.secureConnections == .only && !strength.isSecureConnections)
      || (rules.refusesWeakerKeys && known.map { $0.isWeakened(byLinkKey: strength) } ?? false)
    guard !isTooWeak else {
      reportSecurity(.failed(.authenticationRequirements, byPeer: false), of: link, into: &out)
      return disconnect(link, reason: .authenticationFailure)
    }
    links[link].classic?.security.key = ClassicSecurity.Key(octets: notification.linkKey, strength: strength)
    links[link].classic?.security.isKeyOfBond = false
    let isBonded = pairing?.bonds ?? false
    var bond = known ?? Bond(peer: TypedAddress(address: notification.address, isRandom: false), strength: strength)
    bond.linkKey = notification.linkKey
    bond.linkKeyStrength = strength
    if isBonded { keepNewBond(bond, of: link, into: &out) }
    reportSecurity(.paired(bond, bonded: isBonded), of: link, into: &out)
  }

  /// Reports an event of a link's security, and counts failed pairings.
  private mutating func reportSecurity(_ event: SecurityEvent, of link: LinkID, into out: inout HostOutput) {
    out.events.append(.security(links[link].handle, event))
    throttle.note(event, of: links[link].security.peer, at: out.now)
  }
}

extension Bond {
  /// Returns whether a link key of this strength is weaker than the one that it would replace, or joins keys of LE that were authenticated
  /// without being so itself.
  fileprivate func isWeakened(byLinkKey new: KeyStrength) -> Bool {
    linkKey == nil
      ? strength.isAuthenticated && !new.isAuthenticated : !new.isAtLeast(linkKeyStrength ?? strength)
  }
}

extension PairingFailed.Reason {
  /// The reason that corresponds to a controller's.
  fileprivate init(_ status: ErrorCode, of model: AssociationModel?) {
    switch (status, model) {
    case (.pairingNotAllowed, _): self = .pairingNotSupported
    case (.repeatedAttempts, _): self = .repeatedAttempts
    case (_, .numericComparison): self = .numericComparisonFailed
    case (_, .passkeyEntry): self = .passkeyEntryFailed
    default: self = .unspecifiedReason
    }
  }
}
