import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// The Security Managers of the links: their input and output.
extension HostEngine {
  /// Returns the Security Manager for a new link. It uses the on-air addresses of the connection
  /// (Core 5.4 Vol 3 Part H 2.2.3).
  func securityManager(of details: ConnectionDetails, at now: Instant) -> SecurityManager {
    let identity = policy.security.identityAddress ?? self.identity.address(onAir: nil)
    var manager = SecurityManager(
      role: Role.linkRole == .central ? .initiator : .responder, own: self.identity.address(onAir: details.ownOnAir),
      peer: details.peerOnAirIdentity,
      identity: LocalIdentity(
        address: identity, identityResolvingKey: self.identity.newResolvingKey ?? policy.security.identityResolvingKey),
      policy: policy.security.pairing)
    if !hci.profile.canEncrypt(details.transport) { manager.policy.isPairable = false }
    return manager
  }

  /// Handles a Security Manager packet of the peer.
  mutating func receiveSecurity(_ packet: Span<UInt8>, on link: LinkID, into out: inout HostOutput) {
    let now = out.now
    let octets = packet.withUnsafeBytes { Array($0) }
    withSecurityManager(of: link, into: &out) { manager, random, output in
      manager.receive(octets.span, at: now, random: &random, into: &output)
    }
  }

  /// Makes a link's Security Manager request security.
  mutating func beginSecurity(of link: LinkID, anew: Bool = false, into out: inout HostOutput) {
    let now = out.now
    withSecurityManager(of: link, into: &out) { manager, random, output in
      manager.begin(anew: anew, at: now, random: &random, into: &output)
    }
  }

  /// Handles everything that is due in a link's Security Manager.
  mutating func advanceSecurity(of link: LinkID, into out: inout HostOutput) {
    let now = out.now
    if let due = links[link].security.nextDeadline, due <= now {
      withSecurityManager(of: link, into: &out) { manager, _, output in
        manager.advance(to: now, into: &output)
      }
    }
    if let due = links[link].protection.raisingDue, due <= now, !links[link].security.isPairing {
      securityRaised(of: link, isSecure: false, into: &out)
    }
  }

  /// Handles the end of a link: a pairing in progress fails, and the state of its bond is stored.
  mutating func endSecurity(of link: LinkID, into out: inout HostOutput) {
    withSecurityManager(of: link, into: &out) { manager, _, output in manager.linkEnded(into: &output) }
    securityRaised(of: link, isSecure: false, into: &out)
    keepBond(of: link, into: &out)
  }

  /// Calls a link's Security Manager, and carries out its output.
  mutating func withSecurityManager(
    of link: LinkID, into out: inout HostOutput,
    _ body: (inout SecurityManager, inout any RandomNumberGenerator & Sendable, inout SecurityOutput) -> Void
  ) {
    var output = SecurityOutput()
    // Bonds can be added and removed on other links during the pairing.
    if links[link].security.isPairing {
      links[link].security.bondStrengths = bondTable.strengths
    } else {
      links[link].security.policy.bonds = policy.security.pairing.bonds && hasRoomForBond(of: link)
    }
    // Attempts on other links count too.
    let hasFixedPasskey = links[link].security.policy.fixedPasskey != nil
    links[link].security.blockedUntil = throttle.blockedUntil(
      links[link].security.peer, hasFixedPasskey: hasFixedPasskey, at: out.now)
    body(&links[link].security, &random, &output)
    carryOut(output, of: link, into: &out)
  }

  /// Carries out the output of a link's Security Manager.
  private mutating func carryOut(_ output: SecurityOutput, of link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    for packet in output.packets {
      scheduler.sendFrame(on: .securityManager, of: handle, into: &out.octets) { $0.append(packet) }
    }
    if let key = output.encryption { encrypt(link, with: key, at: out.now) }
    securityChanged(of: link)
    for event in output.events {
      out.events.append(.security(handle, event))
      throttle.note(
        event, of: links[link].security.peer,
        hasFixedPasskey: links[link].security.policy.fixedPasskey != nil, at: out.now)
      switch event {
      case .paired(let bond, let bonded):
        if bonded { keepNewBond(bond, of: link, into: &out) }
        securityRaised(of: link, isSecure: true, into: &out)
      case .failed, .timedOut, .cut: securityRaised(of: link, isSecure: false, into: &out)
      default: break
      }
    }
  }

  /// Updates the session's security, which the access policy uses, after the Security Manager or its bond has changed.
  mutating func securityChanged(of link: LinkID) {
    let wasOpen = links[link].session.security.protection == .none
    links[link].session.security = links[link].currentSecurity
    if wasOpen { considerBearers(of: link) }
  }
}

extension ControllerProfile {
  /// Returns whether it can encrypt links over a transport. If not, it has no use for keys.
  func canEncrypt(_ transport: LinkTransport) -> Bool {
    transport == .le ? features.contains(.encryption) : classicFeatures?.contains(.encryption) ?? false
  }
}

extension ConnectionDetails {
  /// The on-air address with which the peer made the connection.
  var peerOnAirIdentity: TypedAddress {
    guard let peerOnAir else { return peerIdentity }
    return TypedAddress(address: peerOnAir, isRandom: true)
  }

  /// The peer's address: its identity address, if the controller has resolved a private one.
  package var peerIdentity: TypedAddress { TypedAddress(address: peer, type: peerType) }
}
