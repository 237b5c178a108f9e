import BLECore
import BLEHCI
import BLESMP

/// What the owner of a host asks of its Security Managers and its bonds.
extension HostEngine {
  /// Asks for security: a central encrypts with the bond's key or pairs, a peripheral sends a Security Request. `anew` pairs even
  /// where there is a bond.
  package mutating func pair(
    _ handle: ConnectionHandle, anew: Bool = false, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existing(handle)
    guard policy.security.pairing.isPairable || links[link].security.bond != nil else { throw .notPairable }
    beginSecurity(of: link, anew: anew, at: now, into: &out)
  }

  /// Answers the question that a pairing waits for.
  package mutating func answerPairing(
    _ answer: PairingAnswer, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existing(handle)
    var isTaken = false
    withSecurityManager(of: link, at: now, into: &out) { manager, random, output in
      isTaken = manager.answer(answer, at: now, random: &random, into: &output)
    }
    if !isTaken { throw .noPairingQuestion(handle) }
  }

  /// Tells the peer that a key was pressed while a passkey is typed on this side (Core 5.4 Vol 3 Part H 3.5.8).
  package mutating func press(
    _ key: Keypress, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existing(handle)
    var isTaken = false
    withSecurityManager(of: link, at: now, into: &out) { manager, _, output in
      isTaken = manager.press(key, at: now, into: &output)
    }
    if !isTaken { throw .noKeypresses(handle) }
  }

  /// Forgets a bond.
  package mutating func removeBond(
    with peer: PeerIdentity, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    guard let place = bonds.firstIndex(where: { $0.peer == peer }) else { throw .unknownBond(peer) }
    bonds.remove(at: place)
    forgetBond(with: peer)
    out.events.append(.bondRemoved(peer))
  }

  /// Keeps a bond in place of what is kept of that peer.
  package mutating func setBond(_ record: BondRecord, at now: Instant, into out: inout HostOutput) {
    keep(record, into: &out)
    for link in links.ids where links[link].security.bond?.peer == record.peer {
      links[link].security.bond = record.bond
      securityChanged(of: link)
    }
    for link in links.ids where links[link].security.bond == nil { recognizePeer(of: link) }
  }
}
