import BLECore
import BLEGAP
import BLEHCI
import BLESMP

/// Requests of the owner that concern security and bonds.
extension HostEngine {
  /// Requests security: a central encrypts with the bond's key or pairs, a peripheral sends a Security Request. `anew` pairs even
  /// if there is a bond.
  package mutating func pair(
    _ handle: ConnectionHandle, anew: Bool = false, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existing(handle)
    guard policy.security.pairing.isPairable || links[link].security.bond != nil else { throw .notPairable }
    if links[link].isClassic { return raiseClassicSecurity(of: link, into: &out) }
    beginSecurity(of: link, anew: anew, into: &out)
  }

  /// Answers the question of a pairing.
  package mutating func answerPairing(
    _ answer: PairingAnswer, on handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    let now = out.now
    let link = try existing(handle)
    var isTaken = false
    if links[link].isClassic {
      isTaken = answerClassic(answer, on: link, into: &out)
    } else {
      withSecurityManager(of: link, into: &out) { manager, random, output in
        isTaken = manager.answer(answer, at: now, random: &random, into: &output)
      }
    }
    if !isTaken { throw .noPairingQuestion(handle) }
  }

  /// Notifies the peer of a keypress while a passkey is entered on this side (Core 5.4 Vol 3 Part H 3.5.8).
  package mutating func press(
    _ key: Keypress, on handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    let now = out.now
    let link = try existing(handle)
    var isTaken = false
    withSecurityManager(of: link, into: &out) { manager, _, output in
      isTaken = manager.press(key, at: now, into: &output)
    }
    if !isTaken { throw .noKeypresses(handle) }
  }

  /// Removes a bond.
  package mutating func removeBond(
    with peer: TypedAddress, into out: inout HostOutput
  ) throws(HostRequestError) {
    guard bondTable[peer] != nil else { throw .unknownBond(peer) }
    deleteBond(of: peer, into: &out)
  }

  /// Stores a bond, replacing an earlier one with that peer.
  package mutating func setBond(_ record: BondRecord, into out: inout HostOutput) {
    keep(record, into: &out)
    for link in links.ids where links[link].security.bond?.peer == record.peer {
      links[link].security.bond = record.bond
      securityChanged(of: link)
    }
    for link in links.ids where links[link].security.bond == nil { recognizePeer(of: link) }
  }

  // MARK: - The policy

  /// Sets the policy for future pairings. A pairing in progress, keys and links are not changed.
  package mutating func setSecurity(_ pairing: PairingPolicy, requests: SecurityRequestTiming) {
    policy.security.pairing = pairing
    policy.security.requests = requests
    for link in links.ids {
      links[link].security.policy = pairing
      if !hci.profile.canEncrypt(links[link].details.transport) { links[link].security.policy.isPairable = false }
    }
  }
}
