import BLECore

/// Phase 2 of LE legacy pairing, in either role (Core 5.4 Vol 3 Part H 2.3.5.5, Appendix C.2.1).
struct LegacyPairing: Sendable {
  private let terms: PairingTerms
  private var state: State

  private enum State: Sendable {
    /// The user has not yet typed the passkey. A responder may already have the initiator's confirm value.
    case passkey(peerConfirm: [UInt8]?)
    /// Waiting for the peer's confirm value.
    case confirm(temporaryKey: [UInt8], random: [UInt8])
    /// Waiting for the peer's random value.
    case random(temporaryKey: [UInt8], random: [UInt8], peerConfirm: [UInt8])
    case over
  }

  /// Starts the phase, once both features are known.
  init(_ terms: PairingTerms, random: inout some RandomNumberGenerator, actions: inout [PairingAction]) {
    self.terms = terms
    state = .passkey(peerConfirm: nil)
    let (passkey, first) = Passkey.begin(terms.model, terms, random: &random)
    actions += first
    let temporaryKey: [UInt8]?
    switch terms.model {
    case .passkeyEntry: temporaryKey = passkey.map(Passkey.expanded)
    case .outOfBand: temporaryKey = terms.policy.outOfBand?.temporaryKey
    default: temporaryKey = Passkey.expanded(0)
    }
    if let temporaryKey { actions += begin(temporaryKey, random: &random) }
  }

  /// Processes the passkey that the user has typed.
  mutating func type(_ passkey: UInt32, random: inout some RandomNumberGenerator) -> [PairingAction] {
    let key = Passkey.expanded(Passkey.used(passkey, terms.policy))
    return Passkey.typed(terms) + begin(key, random: &random)
  }

  /// Processes a packet from the peer.
  mutating func receive(_ input: SMPInput) -> [PairingAction] {
    switch (input, state) {
    case (.keypress(let keypress), _): return terms.receive(keypress)
    case (.confirm(let value), .passkey(nil)) where terms.role == .responder:
      state = .passkey(peerConfirm: value)
      return []
    case (.confirm(let value), .confirm(let temporaryKey, let random)):
      return receiveConfirm(value, temporaryKey, random)
    case (.random(let value), .random(let temporaryKey, let random, let confirm)):
      return receiveRandom(value, confirm, temporaryKey, random)
    default: return [.fail(.unspecifiedReason)]
    }
  }

  private mutating func begin(
    _ temporaryKey: [UInt8], random: inout some RandomNumberGenerator
  ) -> [PairingAction] {
    let own = random.octets(16)
    let held: [UInt8]? = if case .passkey(let confirm) = state { confirm } else { nil }
    state = .confirm(temporaryKey: temporaryKey, random: own)
    if terms.role == .initiator { return [.send(PairingConfirm(confirm(of: own, temporaryKey)))] }
    guard let held else { return [] }
    return receiveConfirm(held, temporaryKey, own)
  }

  private mutating func receiveConfirm(
    _ value: [UInt8], _ temporaryKey: [UInt8], _ random: [UInt8]
  ) -> [PairingAction] {
    let own = confirm(of: random, temporaryKey)
    // A peer that only reflects this side's value would need no key.
    guard terms.role == .responder || !value.isSame(own) else { return [.fail(.confirmValueFailed)] }
    state = .random(temporaryKey: temporaryKey, random: random, peerConfirm: value)
    return terms.role == .initiator ? [.send(PairingRandom(random))] : [.send(PairingConfirm(own))]
  }

  private mutating func receiveRandom(
    _ value: [UInt8], _ peerConfirm: [UInt8], _ temporaryKey: [UInt8], _ random: [UInt8]
  ) -> [PairingAction] {
    guard confirm(of: value, temporaryKey).isSame(peerConfirm) else { return [.fail(.confirmValueFailed)] }
    state = .over
    let isInitiator = terms.role == .initiator
    let key = SecurityToolbox.s1(key: temporaryKey, r1: isInitiator ? value : random, r2: isInitiator ? random : value)
    let actions: [PairingAction] = [.endQuestion, .agree(SharedKey(key, size: terms.keySize))]
    return isInitiator ? actions : [.send(PairingRandom(random))] + actions
  }

  private func confirm(of random: [UInt8], _ temporaryKey: [UInt8]) -> [UInt8] {
    SecurityToolbox.c1(
      key: temporaryKey, random: random, request: PairingRequest(terms.request).packet,
      response: PairingResponse(terms.response).packet, initiator: terms.initiatorAddress,
      responder: terms.responderAddress)
  }
}
