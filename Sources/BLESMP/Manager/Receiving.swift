import BLECore
import BLECryptography

extension SecurityManager {
  /// Processes a packet from the peer. Ignores reserved codes (3.3) and packets that belong to no pairing. Any other unexpected packet ends
  /// the pairing in progress.
  package mutating func receive(
    _ packet: Span<UInt8>, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    if case .timedOut = state { return }
    let input: SMPInput
    do {
      guard let known = try SMPInput(packet) else { return }
      input = known
    } catch {
      return receiveMalformed(SMPCode(rawValue: packet[0]), into: &out)
    }
    switch input {
    case .failed(let reason): receiveFailure(reason, into: &out)
    case .pairingRequest(let features):
      guard role == .responder else { return fail(.commandNotSupported, into: &out) }
      receiveRequest(features, at: now, random: &random, into: &out)
    case .securityRequest(let requirements):
      guard role == .initiator else { return fail(.commandNotSupported, into: &out) }
      receiveSecurityRequest(requirements, at: now, into: &out)
    case .pairingResponse(let features):
      guard role == .initiator else { return fail(.commandNotSupported, into: &out) }
      receiveResponse(features, at: now, random: &random, into: &out)
    case .key(let key): receiveKey(key, at: now, random: &random, into: &out)
    default: receivePhaseTwo(input, at: now, random: &random, into: &out)
    }
  }

  /// Handles a packet whose length does not match its code. Without a pairing, only a Pairing Request is answered.
  private mutating func receiveMalformed(_ code: SMPCode, into out: inout SecurityOutput) {
    switch code {
    case .pairingFailed: receiveFailure(.unspecifiedReason, into: &out)
    case .pairingRequest where role == .responder && !policy.isPairable:
      fail(.pairingNotSupported, into: &out)
    case .pairingRequest, .securityRequest: fail(.invalidParameters, into: &out)
    default: failIfPairing(.invalidParameters, into: &out)
    }
  }

  private mutating func receivePhaseTwo(
    _ input: SMPInput, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    switch state {
    case .legacy(var pairing, let terms):
      let actions = pairing.receive(input)
      state = .legacy(pairing, terms)
      perform(actions, at: now, into: &out)
    case .secureConnections(var pairing, let terms):
      let actions = pairing.receive(input, random: &random)
      state = .secureConnections(pairing, terms)
      perform(actions, at: now, into: &out)
    default: failIfPairing(.unspecifiedReason, into: &out)
    }
  }

  private mutating func receiveKey(
    _ key: DistributedKey, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    guard case .distribution(var distribution, let terms, let isDebug) = state else {
      return failIfPairing(.unspecifiedReason, into: &out)
    }
    let actions = distribution.receive(key, identity: identity, random: &random)
    state = .distribution(distribution, terms, isDebug: isDebug)
    guard !mayBond(terms, isDebug: isDebug) || mayReplaceBond(of: distribution.peer, by: terms) else {
      return fail(.keyRejected, into: &out)
    }
    perform(actions, at: now, into: &out)
  }

  private mutating func receiveFailure(_ reason: PairingFailed.Reason, into out: inout SecurityOutput) {
    switch state {
    case .idle, .encrypting, .timedOut: return
    default:
      reset(to: .idle, into: &out)
      out.events.append(.failed(reason, byPeer: true))
    }
  }

  // MARK: The responder (2.3)

  private mutating func receiveRequest(
    _ features: PairingFeatures, at now: Instant, random: inout some RandomNumberGenerator,
    into out: inout SecurityOutput
  ) {
    guard !isPairing else { return fail(.unspecifiedReason, into: &out) }
    if let reason = obstacle(at: now) { return fail(reason, into: &out) }
    guard features.isValid else { return fail(.invalidParameters, into: &out) }
    guard policy.asksConsent else { return respond(to: features, at: now, random: &random, into: &out) }
    state = .consent(features)
    timeout = now + Self.timerLength
    perform([.ask(.consent)], at: now, into: &out)
  }

  private mutating func respond(
    to request: PairingFeatures, at now: Instant, random: inout some RandomNumberGenerator,
    into out: inout SecurityOutput
  ) {
    let response = PairingFeatures(answering: request, policy)
    guard let terms = agree(request, response, into: &out) else { return }
    // From here on a pairing is in progress, whatever happens to the response.
    state = .consent(request)
    guard send(PairingResponse(response), at: now, into: &out) else { return }
    beginPhaseTwo(terms, at: now, random: &random, into: &out)
  }

  // MARK: The initiator

  private mutating func receiveSecurityRequest(
    _ requirements: PairingRequirements, at now: Instant, into out: inout SecurityOutput
  ) {
    // A Security Request that crosses a pairing or the start of encryption is ignored (2.4.6).
    guard case .idle = state else { return }
    out.events.append(.requested(requirements))
    guard !bondSatisfies(requirements) else { return encrypt(into: &out) }
    if let reason = obstacle(at: now) { return fail(reason, into: &out) }
    guard policy.asksConsent else { return requestPairing(at: now, into: &out) }
    state = .consent(nil)
    timeout = now + Self.timerLength
    perform([.ask(.consent)], at: now, into: &out)
  }

  /// Requests encryption with the bond's key.
  mutating func encrypt(into out: inout SecurityOutput) {
    guard let bond, let key = bondKey else { return }
    state = .encrypting
    nextKey = StartingKey(strength: bond.strength, isOfPairing: false)
    out.encryption = key
  }

  /// Sends a Pairing Request.
  mutating func requestPairing(at now: Instant, into out: inout SecurityOutput) {
    let features = PairingFeatures(policy, role: .initiator)
    state = .features(features)
    send(PairingRequest(features), at: now, into: &out)
  }

  private mutating func receiveResponse(
    _ response: PairingFeatures, at now: Instant, random: inout some RandomNumberGenerator,
    into out: inout SecurityOutput
  ) {
    guard case .features(let request) = state else { return failIfPairing(.unspecifiedReason, into: &out) }
    guard response.isValid else { return fail(.invalidParameters, into: &out) }
    guard let terms = agree(request, response, into: &out) else { return }
    guard policy.confirmsJustWorks, terms.model == .justWorks else {
      return beginPhaseTwo(terms, at: now, random: &random, into: &out)
    }
    state = .confirmation(terms)
    timeout = now + Self.timerLength
    perform([.ask(.consent)], at: now, into: &out)
  }

  // MARK: Both

  /// Continues after consent.
  mutating func consent(
    at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    switch state {
    case .consent(let features?): respond(to: features, at: now, random: &random, into: &out)
    case .consent(nil): requestPairing(at: now, into: &out)
    case .confirmation(let terms): beginPhaseTwo(terms, at: now, random: &random, into: &out)
    default: break
    }
  }

  private mutating func agree(
    _ request: PairingFeatures, _ response: PairingFeatures, into out: inout SecurityOutput
  ) -> PairingTerms? {
    do {
      return try PairingTerms(
        role: role, own: own, peer: peer, request: request, response: response, policy: policy, bond: bond)
    } catch {
      fail(error, into: &out)
      return nil
    }
  }

  private mutating func beginPhaseTwo(
    _ terms: PairingTerms, at now: Instant, random: inout some RandomNumberGenerator, into out: inout SecurityOutput
  ) {
    out.events.append(.pairing(terms.model, isSecureConnections: terms.isSecureConnections))
    var actions: [PairingAction] = []
    guard terms.isSecureConnections else {
      state = .legacy(LegacyPairing(terms, random: &random, actions: &actions), terms)
      return perform(actions, at: now, into: &out)
    }
    // Keys that were given out of band are kept. All others are new for each pairing (2.3.5.6.1).
    let announced = terms.peer.outOfBandFlag == 1 ? policy.ownOutOfBand?.keyPair : nil
    guard let keyPair = announced ?? (policy.usesDebugKeys ? KeyPair.debug : KeyPair(random: &random)) else {
      return fail(.unspecifiedReason, into: &out)
    }
    state = .secureConnections(SecureConnectionsPairing(terms, keyPair: keyPair, actions: &actions), terms)
    perform(actions, at: now, into: &out)
  }
}
