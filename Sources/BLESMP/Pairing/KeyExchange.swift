import BLECore
import BLECryptography

/// The random values of both sides in one round.
struct Nonces: Sendable {
  var own: [UInt8]
  var peer: [UInt8]
}

/// The values that two sides compute from their public keys (Core 5.4 Vol 3 Part H 2.3.5.6).
struct KeyExchange: Sendable {
  let own: PublicKey
  let peer: PublicKey
  /// The passkey, once known.
  var passkey: UInt32?
  private let secret: [UInt8]
  private let terms: PairingTerms

  init(_ terms: PairingTerms, own: PublicKey, peer: PublicKey, secret: [UInt8]) {
    self.terms = terms
    self.own = own
    self.peer = peer
    self.secret = secret
  }

  /// Returns this side's confirm value in a round (2.3.5.6.2, 2.3.5.6.3).
  func ownConfirm(of nonce: [UInt8], round: Int) -> [UInt8] {
    SecurityToolbox.f4(u: own.x, v: peer.x, x: nonce, z: bit(round))
  }

  /// Returns the confirm value that must have preceded this random value from the peer.
  func peerConfirm(of nonce: [UInt8], round: Int) -> [UInt8] {
    SecurityToolbox.f4(u: peer.x, v: own.x, x: nonce, z: bit(round))
  }

  /// Returns one bit of the passkey, least significant first, with bit 7 set; 0 without a passkey.
  private func bit(_ round: Int) -> UInt8 { passkey.map { 0x80 | UInt8($0 >> UInt32(round) & 1) } ?? 0 }

  /// Returns the digits that users compare (2.3.5.6.2).
  func digits(of nonces: Nonces) -> UInt32 {
    let value =
      terms.role == .initiator
      ? SecurityToolbox.g2(u: own.x, v: peer.x, x: nonces.own, y: nonces.peer)
      : SecurityToolbox.g2(u: peer.x, v: own.x, x: nonces.peer, y: nonces.own)
    return SecurityToolbox.digits(of: value)
  }

  /// Whether the peer's public key matches its out-of-band data; true if there is none (2.3.5.6.4).
  var isOutOfBandConfirmed: Bool {
    guard terms.own.outOfBandFlag == 1, let data = terms.policy.outOfBand, let random = data.random else { return true }
    return SecurityToolbox.f4(u: peer.x, v: peer.x, x: random, z: 0) == data.confirm
  }

  /// Returns the Long Term Key and the DHKey checks of both sides (2.3.5.6.5).
  func keys(of nonces: Nonces) -> (longTermKey: [UInt8], ownCheck: [UInt8], peerCheck: [UInt8]) {
    let (first, second) = terms.role == .initiator ? (nonces.own, nonces.peer) : (nonces.peer, nonces.own)
    let keys = SecurityToolbox.f5(
      w: secret, n1: first, n2: second, a1: terms.initiatorAddress, a2: terms.responderAddress)
    let shared = sharedValues
    let ownCheck = SecurityToolbox.f6(
      w: keys.macKey, n1: nonces.own, n2: nonces.peer, r: shared.peer, inputOutput: terms.own.inputOutput,
      a1: terms.ownAddress, a2: terms.peerAddress)
    let peerCheck = SecurityToolbox.f6(
      w: keys.macKey, n1: nonces.peer, n2: nonces.own, r: shared.own, inputOutput: terms.peer.inputOutput,
      a1: terms.peerAddress, a2: terms.ownAddress)
    return (keys.longTermKey, ownCheck, peerCheck)
  }

  /// The own and the peer's value of ra and rb: the passkey, or the out-of-band random value of a side if the other has it.
  private var sharedValues: (own: [UInt8], peer: [UInt8]) {
    let none = [UInt8](repeating: 0, count: 16)
    switch terms.model {
    case .passkeyEntry:
      let value = passkey.map(Passkey.expanded) ?? none
      return (value, value)
    case .outOfBand:
      return (
        terms.peer.outOfBandFlag == 1 ? terms.policy.ownOutOfBand?.random ?? none : none,
        terms.own.outOfBandFlag == 1 ? terms.policy.outOfBand?.random ?? none : none
      )
    default: return (none, none)
    }
  }
}
