import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// The Security Managers of the links: what they take, and what they want done.
extension HostEngine {
  /// The Security Manager of a link that was just made. The addresses are those of the connection on the air
  /// (Core 5.4 Vol 3 Part H 2.2.3).
  func securityManager(of details: ConnectionDetails, at now: Instant) -> SecurityManager {
    let identity = policy.security.identityAddress ?? ownIdentity(onAir: nil)
    var manager = SecurityManager(
      role: Role.linkRole == .central ? .initiator : .responder, own: ownIdentity(onAir: details.ownOnAir),
      peer: details.peerOnAirIdentity,
      identity: LocalIdentity(
        address: identity, identityResolvingKey: newResolvingKey ?? policy.security.identityResolvingKey),
      policy: policy.security.pairing)
    // Keys are of no use to a controller that cannot encrypt.
    if !controller.features.contains(.encryption) { manager.policy.isPairable = false }
    return manager
  }

  /// The address that a link was made with: a private one, or that of the identity.
  func ownIdentity(onAir: DeviceAddress?) -> PeerIdentity {
    let own = PeerIdentity(address: identity?.address ?? .zero, isRandom: identity?.addressType != .publicDevice)
    guard let onAir, onAir != own.address else { return own }
    return PeerIdentity(address: onAir, isRandom: true)
  }

  /// Takes a Security Manager packet of the peer.
  mutating func receiveSecurity(
    _ packet: Span<UInt8>, on link: LinkID, at now: Instant, into out: inout HostOutput
  ) {
    let octets = packet.withUnsafeBytes { Array($0) }
    withSecurityManager(of: link, at: now, into: &out) { manager, random, output in
      manager.receive(octets.span, at: now, random: &random, into: &output)
    }
  }

  /// Lets a link's Security Manager ask for security.
  mutating func beginSecurity(
    of link: LinkID, anew: Bool = false, at now: Instant, into out: inout HostOutput
  ) {
    withSecurityManager(of: link, at: now, into: &out) { manager, random, output in
      manager.begin(anew: anew, at: now, random: &random, into: &output)
    }
  }

  /// Does what is due in a link's Security Manager.
  mutating func advanceSecurity(of link: LinkID, at now: Instant, into out: inout HostOutput) {
    if let due = links[link].security.nextDeadline, due <= now {
      withSecurityManager(of: link, at: now, into: &out) { manager, _, output in
        manager.advance(to: now, into: &output)
      }
    }
    if let due = links[link].protection.raisingDue, due <= now, !links[link].security.isPairing {
      securityRaised(of: link, isSecure: false, at: now, into: &out)
    }
  }

  /// A link has ended: a pairing under way has failed, and its bond is kept as it is now.
  mutating func endSecurity(of link: LinkID, at now: Instant, into out: inout HostOutput) {
    withSecurityManager(of: link, at: now, into: &out) { manager, _, output in manager.linkEnded(into: &output) }
    securityRaised(of: link, isSecure: false, at: now, into: &out)
    keepBond(of: link, into: &out)
  }

  /// Gives a link's Security Manager something, and does what it wants done.
  mutating func withSecurityManager(
    of link: LinkID, at now: Instant, into out: inout HostOutput,
    _ body: (inout SecurityManager, inout any RandomNumberGenerator & Sendable, inout SecurityOutput) -> Void
  ) {
    var output = SecurityOutput()
    // Bonds can be made and removed on other links while this one pairs.
    if links[link].security.isPairing {
      links[link].security.bondStrengths = bondStrengths
    } else {
      links[link].security.policy.bonds = policy.security.pairing.bonds && hasRoomForBond(of: link)
    }
    // Attempts on other links count, too.
    let hasFixedPasskey = links[link].security.policy.fixedPasskey != nil
    links[link].security.blockedUntil = throttle.blockedUntil(
      links[link].security.peer, hasFixedPasskey: hasFixedPasskey, at: now)
    body(&links[link].security, &random, &output)
    carryOut(output, of: link, at: now, into: &out)
  }

  private var bondStrengths: [PeerIdentity: KeyStrength] {
    Dictionary(bonds.map { ($0.peer, $0.bond.strength) }) { $1 }
  }

  /// Does what a link's Security Manager wants done.
  private mutating func carryOut(
    _ output: SecurityOutput, of link: LinkID, at now: Instant, into out: inout HostOutput
  ) {
    let handle = links[link].handle
    for packet in output.packets {
      scheduler.sendFrame(on: .securityManager, of: handle, into: &out.octets) { $0.append(packet) }
    }
    if let key = output.encryption { encrypt(link, with: key, at: now) }
    securityChanged(of: link)
    for event in output.events {
      out.events.append(.security(handle, event))
      throttle.note(
        event, of: links[link].security.peer,
        hasFixedPasskey: links[link].security.policy.fixedPasskey != nil, at: now)
      switch event {
      case .paired(let bond, let bonded):
        if bonded { keepNewBond(bond, of: link, at: now, into: &out) }
        securityRaised(of: link, isSecure: true, at: now, into: &out)
      case .failed, .timedOut, .cut: securityRaised(of: link, isSecure: false, at: now, into: &out)
      default: break
      }
    }
  }

  /// The access policy follows the Security Manager, and whether there is a key.
  mutating func securityChanged(of link: LinkID) {
    let wasOpen = links[link].session.security.protection == .none
    links[link].session.security = links[link].security.security
    if wasOpen { considerBearers(of: link) }
  }
}

extension ConnectionDetails {
  /// The address with which the peer made the connection.
  var peerOnAirIdentity: PeerIdentity {
    guard let peerOnAir else { return peerIdentity }
    return PeerIdentity(address: peerOnAir, isRandom: true)
  }

  /// The address under which the peer is known: its identity address, where the controller has resolved a private one.
  var peerIdentity: PeerIdentity { PeerIdentity(address: peer, isRandom: peerType.deviceType == .random) }
}
