import BLECore
import BLEHCI
import BLEL2CAP
import BLESMP

/// The derivation of the keys of LE over BR/EDR, by Security Manager packets on CID 0x0007 (Core 5.4 Vol 3 Part H 2.4.2.5).
extension HostEngine {
  /// Handles a Security Manager packet over BR/EDR.
  mutating func receiveDerivation(_ packet: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    guard links[link].classic != nil, packet.count > 0 else { return }
    if links[link].classic?.security.isMeasuring == true {
      links[link].classic?.heldPacket = packet.withUnsafeBytes { Array($0) }
      return
    }
    var derivation = derivation(of: link)
    let bond = bondTable[classicPeer(of: link)]?.bond
    var output = SecurityOutput()
    derivation.receive(
      packet, key: derivationKey(of: link), bond: bond, at: out.now, random: &random, into: &output)
    links[link].classic?.derivation = derivation
    carryOutDerivation(output, of: link, into: &out)
  }

  /// Asks the peer whether it derives keys, because this side is the central, which begins the derivation from a new link key.
  mutating func askForDerivation(of link: LinkID) {
    guard links[link].classic?.isCentral ?? false, links[link].security.bond != nil,
      links[link].classic?.security.inUse?.isSecureConnections ?? false
    else { return }
    _ = links[link].classic?.channels.requestInformation(.fixedChannels)
  }

  /// Begins the derivation from this side.
  mutating func beginDerivation(of link: LinkID, into out: inout HostOutput) {
    guard let key = derivationKey(of: link) else { return }
    var derivation = derivation(of: link)
    var output = SecurityOutput()
    derivation.begin(key: key, bond: links[link].security.bond, at: out.now, into: &output)
    links[link].classic?.derivation = derivation
    carryOutDerivation(output, of: link, into: &out)
  }

  /// Returns the pairing of a link from which the keys are derived: the present one, or a new one.
  private func derivation(of link: LinkID) -> CrossTransportPairing {
    let manager = links[link].security
    return links[link].classic?.derivation
      ?? CrossTransportPairing(peer: classicPeer(of: link), identity: manager.identity, policy: manager.policy)
  }

  /// Returns the key that encrypts a link; nil without encryption, or if a pairing has given a newer key that does not encrypt the link yet.
  /// The older key would still protect the packets of the derivation, and it may be weaker.
  private func derivationKey(of link: LinkID) -> CrossTransportPairing.LinkKey? {
    guard let security = links[link].classic?.security, let octets = security.key?.octets,
      octets == security.encryptingKey, let strength = security.inUse
    else { return nil }
    return CrossTransportPairing.LinkKey(octets, strength: strength)
  }

  private func classicPeer(of link: LinkID) -> TypedAddress {
    TypedAddress(address: links[link].details.peer, isRandom: false)
  }

  /// Handles the packet that has waited for the size of the link's key.
  mutating func beginHeldDerivation(of link: LinkID, into out: inout HostOutput) {
    guard let packet = links[link].classic?.heldPacket else { return }
    links[link].classic?.heldPacket = nil
    receiveDerivation(packet.span, on: link, into: &out)
  }

  /// Ends a derivation whose peer does not continue.
  mutating func advanceDerivation(of link: LinkID, into out: inout HostOutput) {
    var output = SecurityOutput()
    links[link].classic?.derivation?.advance(to: out.now, into: &output)
    carryOutDerivation(output, of: link, into: &out)
  }

  private mutating func carryOutDerivation(
    _ output: SecurityOutput, of link: LinkID, into out: inout HostOutput
  ) {
    let handle = links[link].handle
    for packet in output.packets {
      scheduler.sendFrame(on: .classicSecurityManager, of: handle, into: &out.octets) { $0.append(packet) }
    }
    for event in output.events {
      if case .paired(var bond, true) = event {
        let key = links[link].classic?.security.key
        bond.linkKey = key?.octets
        bond.linkKeyStrength = key?.strength
        keepNewBond(bond, of: link, into: &out)
      }
      out.events.append(.security(handle, event))
    }
  }
}
