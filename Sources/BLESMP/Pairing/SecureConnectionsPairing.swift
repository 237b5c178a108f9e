import BLECore
import BLECryptography

/// Phase 2 of a pairing with LE Secure Connections, in either role (Core 5.4 Vol 3 Part H 2.3.5.6, Appendix C.2.2): the public keys,
/// authentication stage 1 by association model, and stage 2, the DHKey checks.
struct SecureConnectionsPairing: Sendable {
  private let terms: PairingTerms
  private let keyPair: KeyPair
  private var state = State.publicKey
  private var exchange: KeyExchange?

  private enum State: Sendable {
    /// Waiting for the peer's public key.
    case publicKey
    /// The user has not yet typed the passkey. A responder may already have the initiator's first confirm value.
    case passkey(peerConfirm: [UInt8]?)
    /// Waiting for the peer's confirm value of a round. Only Passkey Entry has more than one round.
    case confirm(round: Int, nonce: [UInt8])
    /// Waiting for the peer's random value. The confirm value is nil if none is sent.
    case random(round: Int, nonce: [UInt8], peerConfirm: [UInt8]?)
    /// The user has not yet compared the digits. A responder may already have the initiator's check.
    case comparison(Nonces, peerCheck: [UInt8]?)
    /// Waiting for the peer's check.
    case check(Nonces)
    case over
  }

  /// The number of rounds of Passkey Entry: one for each bit of a passkey.
  private static let rounds = 20

  /// Starts the phase, once both features are known.
  init(_ terms: PairingTerms, keyPair: KeyPair, actions: inout [PairingAction]) {
    self.terms = terms
    self.keyPair = keyPair
    if terms.role == .initiator { actions.append(.send(PairingPublicKey(keyPair.publicKey))) }
  }

  /// Processes the passkey that the user has typed.
  mutating func type(_ passkey: UInt32, random: inout some RandomNumberGenerator) -> [PairingAction] {
    guard case .passkey(let held) = state else { return [] }
    exchange?.passkey = Passkey.used(passkey, terms.policy)
    let actions = Passkey.typed(terms) + beginRound(0, random: &random)
    guard let held else { return actions }
    return actions + receiveConfirm(held)
  }

  /// Continues after the user has confirmed the digits.
  mutating func confirmDigits() -> [PairingAction] {
    guard case .comparison(let nonces, let peerCheck) = state else { return [] }
    let actions = [.endQuestion] + beginCheck(nonces)
    guard let peerCheck else { return actions }
    return actions + receiveCheck(peerCheck)
  }

  /// Processes a packet from the peer.
  mutating func receive(_ input: SMPInput, random: inout some RandomNumberGenerator) -> [PairingAction] {
    switch (input, state) {
    case (.publicKey(let key), .publicKey): return receivePublicKey(key, random: &random)
    case (.keypress(let keypress), .passkey), (.keypress(let keypress), .confirm), (.keypress(let keypress), .random):
      return terms.receive(keypress)
    case (.confirm(let value), .passkey(nil)) where terms.role == .responder:
      state = .passkey(peerConfirm: value)
      return []
    case (.confirm(let value), .confirm): return receiveConfirm(value)
    case (.random(let value), .random(let round, let nonce, let confirm)):
      return receiveRandom(value, round: round, nonce: nonce, peerConfirm: confirm, random: &random)
    case (.dhKeyCheck(let value), .comparison(let nonces, nil)) where terms.role == .responder:
      state = .comparison(nonces, peerCheck: value)
      return []
    case (.dhKeyCheck(let value), .check): return receiveCheck(value)
    default: return [.fail(.unspecifiedReason)]
    }
  }

  // MARK: Public keys (2.3.5.6.1)

  private mutating func receivePublicKey(
    _ key: PublicKey, random: inout some RandomNumberGenerator
  ) -> [PairingAction] {
    // With this side's x coordinate and either y, the peer could reflect our confirm values. Debug keys are the same on purpose.
    let isReflected = key.x == keyPair.publicKey.x && !terms.policy.usesDebugKeys
    guard !isReflected, let secret = keyPair.sharedSecret(with: key) else { return [.fail(.invalidParameters)] }
    exchange = KeyExchange(terms, own: keyPair.publicKey, peer: key, secret: secret)
    let answer: [PairingAction] = terms.role == .responder ? [.send(PairingPublicKey(keyPair.publicKey))] : []
    return answer + beginStageOne(random: &random)
  }

  // MARK: Authentication stage 1 (2.3.5.6.2 to 2.3.5.6.4)

  private mutating func beginStageOne(random: inout some RandomNumberGenerator) -> [PairingAction] {
    switch terms.model {
    case .justWorks, .numericComparison:
      let nonce = random.octets(16)
      if terms.role == .initiator {
        state = .confirm(round: 0, nonce: nonce)
        return []
      }
      state = .random(round: 0, nonce: nonce, peerConfirm: nil)
      return [.send(PairingConfirm(exchange?.ownConfirm(of: nonce, round: 0) ?? []))]
    case .passkeyEntry:
      let (passkey, actions) = Passkey.begin(terms.model, terms, random: &random)
      exchange?.passkey = passkey
      state = .passkey(peerConfirm: nil)
      return actions + (passkey == nil ? [] : beginRound(0, random: &random))
    case .outOfBand:
      guard exchange?.isOutOfBandConfirmed == true else { return [.fail(.confirmValueFailed)] }
      let nonce = random.octets(16)
      state = .random(round: 0, nonce: nonce, peerConfirm: nil)
      return terms.role == .initiator ? [.send(PairingRandom(nonce))] : []
    }
  }

  private mutating func beginRound(_ round: Int, random: inout some RandomNumberGenerator) -> [PairingAction] {
    let nonce = random.octets(16)
    state = .confirm(round: round, nonce: nonce)
    guard terms.role == .initiator, let exchange else { return [] }
    return [.send(PairingConfirm(exchange.ownConfirm(of: nonce, round: round)))]
  }

  private mutating func receiveConfirm(_ value: [UInt8]) -> [PairingAction] {
    guard case .confirm(let round, let nonce) = state, let exchange else { return [] }
    state = .random(round: round, nonce: nonce, peerConfirm: value)
    guard terms.role == .responder else { return [.send(PairingRandom(nonce))] }
    return [.send(PairingConfirm(exchange.ownConfirm(of: nonce, round: round)))]
  }

  private mutating func receiveRandom(
    _ value: [UInt8], round: Int, nonce: [UInt8], peerConfirm: [UInt8]?, random: inout some RandomNumberGenerator
  ) -> [PairingAction] {
    guard let exchange else { return [] }
    if let peerConfirm {
      guard exchange.peerConfirm(of: value, round: round).isSame(peerConfirm) else {
        return [.fail(.confirmValueFailed)]
      }
    }
    let nonces = Nonces(own: nonce, peer: value)
    let answer: [PairingAction] = terms.role == .responder ? [.send(PairingRandom(nonce))] : []
    switch terms.model {
    case .passkeyEntry where round + 1 < Self.rounds: return answer + beginRound(round + 1, random: &random)
    case .passkeyEntry: return answer + [.endQuestion] + beginCheck(nonces)
    case .numericComparison:
      state = .comparison(nonces, peerCheck: nil)
      return answer + [.ask(.comparison(exchange.digits(of: nonces)))]
    default: return answer + beginCheck(nonces)
    }
  }

  // MARK: Authentication stage 2 (2.3.5.6.5)

  private mutating func beginCheck(_ nonces: Nonces) -> [PairingAction] {
    state = .check(nonces)
    guard terms.role == .initiator, let exchange else { return [] }
    return [.send(PairingDHKeyCheck(exchange.keys(of: nonces).ownCheck))]
  }

  private mutating func receiveCheck(_ value: [UInt8]) -> [PairingAction] {
    guard case .check(let nonces) = state, let exchange else { return [] }
    let keys = exchange.keys(of: nonces)
    guard keys.peerCheck.isSame(value) else { return [.fail(.dhKeyCheckFailed)] }
    state = .over
    let answer: [PairingAction] = terms.role == .responder ? [.send(PairingDHKeyCheck(keys.ownCheck))] : []
    return answer + [.agree(SharedKey(keys.longTermKey, size: terms.keySize))]
  }

  /// Whether the peer uses the well-known debug key pair.
  var peerUsesDebugKey: Bool { exchange?.peer == KeyPair.debug?.publicKey }
}
