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
    let peer = TypedAddress(address: links[link].details.peer, isRandom: false)
    let manager = links[link].security
    var derivation =
      links[link].classic?.derivation
      ?? CrossTransportPairing(peer: peer, identity: manager.identity, policy: manager.policy)
    let security = links[link].classic?.security
    var key: CrossTransportPairing.LinkKey?
    if let octets = security?.key?.octets, let strength = security?.inUse {
      key = CrossTransportPairing.LinkKey(octets, strength: strength)
    }
    var output = SecurityOutput()
    derivation.receive(packet, key: key, bond: bondTable[peer]?.bond, at: out.now, random: &random, into: &output)
    links[link].classic?.derivation = derivation
    carryOutDerivation(output, of: link, into: &out)
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
