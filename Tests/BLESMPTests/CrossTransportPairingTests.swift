import BLECore
import Testing

@testable import BLESMP

/// Core 5.4 Vol 3 Part H 2.4.2.5, Part C 14.1.
@Suite("Keys of LE from BR/EDR")
struct CrossTransportPairingTests {
  private static let peer = TypedAddress(address: DeviceAddress(bits: 0x00A0_9608_1234), isRandom: false)
  private static let octets = [UInt8](1...16)
  private static let strong = KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16)

  private var policy: PairingPolicy {
    var policy = PairingPolicy()
    policy.isPairable = true
    policy.distributes = [.encryption]
    return policy
  }

  private func features(_ initiator: KeyKinds, _ responder: KeyKinds) -> PairingFeatures {
    var features = PairingFeatures()
    features.ioCapability = 3
    features.requirements = [.bonding, .secureConnections, .h7]
    features.maximumKeySize = 16
    (features.initiatorKeys, features.responderKeys) = (initiator, responder)
    return features
  }

  private func receive(
    _ packet: [UInt8], _ pairing: inout CrossTransportPairing, strength: KeyStrength? = strong, bond: Bond? = nil
  ) -> SecurityOutput {
    var out = SecurityOutput()
    var random = SplitMix64(seed: 1)
    let key = strength.map { CrossTransportPairing.LinkKey(Self.octets, strength: $0) }
    pairing.receive(packet.span, key: key, bond: bond, at: .zero, random: &random, into: &out)
    return out
  }

  private func pairing(_ policy: PairingPolicy) -> CrossTransportPairing {
    CrossTransportPairing(peer: Self.peer, identity: LocalIdentity(address: Self.peer), policy: policy)
  }

  @Test("The key is derived, and the peer's identity received")
  func success() throws {
    var pairing = pairing(policy)
    let request = PairingRequest(features([.encryption, .identity], [.encryption, .identity]))
    let response = receive(request.packet, &pairing)
    #expect(response.packets.map { $0[0] } == [SMPCode.pairingResponse.rawValue])
    #expect(Array(response.packets[0].suffix(2)) == [3, 1])
    #expect(response.events == [])
    _ = receive(IdentityInformation([UInt8](repeating: 5, count: 16)).packet, &pairing)
    let last = receive(IdentityAddressInformation(Self.peer).packet, &pairing)
    guard case .paired(let bond, true) = last.events.first else {
      Issue.record("\(last.events)")
      return
    }
    #expect(bond.keyAsPeripheral?.key == SecurityToolbox.longTermKey(from: Self.octets, usesH7: true))
    #expect(bond.strength == Self.strong && bond.peer == Self.peer)
    #expect(pairing.nextDeadline == nil)
  }

  /// Core 5.4 Vol 3 Part H 3.5.1: what the features say of the devices is zero over BR/EDR, and does not count. Linux sends this request.
  @Test("The requirements and capabilities in the features do not count, and this side sends none")
  func reservedFields() throws {
    for (capability, flag, requirements) in [(0, 0, 0x20), (0, 0, 0), (0xFF, 0xFF, 0xFF)] as [(UInt8, UInt8, UInt8)] {
      var pairing = pairing(policy)
      let response = receive([0x01, capability, flag, requirements, 16, 0x01, 0x01], &pairing)
      #expect(response.packets == [[0x02, 0, 0, 0x20, 16, 1, 1]])
      guard case .paired(let bond, true) = response.events.first else {
        Issue.record("\(response.events)")
        continue
      }
      let usesH7 = requirements & 0x20 != 0
      #expect(bond.keyAsPeripheral?.key == SecurityToolbox.longTermKey(from: Self.octets, usesH7: usesH7))
    }
  }

  @Test("What may not be derived is refused")
  func refusals() {
    let both = PairingRequest(features([.encryption], [.encryption])).packet
    let weak = KeyStrength(isAuthenticated: true, isSecureConnections: false, keySize: 16)
    let unauthenticated = KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16)
    var bond = Bond(peer: Self.peer, strength: Self.strong)
    bond.keyAsPeripheral = LongTermKey(key: Self.octets)
    var deaf = policy
    deaf.isPairable = false
    var long = policy
    long.keySizes = 16...16
    let cases: [(packet: [UInt8], strength: KeyStrength?, bond: Bond?, policy: PairingPolicy, PairingFailed.Reason)] = [
      (both, nil, nil, policy, .crossTransportNotAllowed), (both, weak, nil, policy, .crossTransportNotAllowed),
      (both, unauthenticated, bond, policy, .crossTransportNotAllowed),
      // A peer that shortens the key may not replace a longer one, nor go below what the policy allows.
      ([0x01, 0, 0, 0x20, 11, 1, 1], Self.strong, bond, policy, .crossTransportNotAllowed),
      ([0x01, 0, 0, 0x20, 11, 1, 1], Self.strong, nil, long, .encryptionKeySize),
      (
        PairingRequest(features([.identity], [.encryption])).packet, Self.strong, nil, policy, .crossTransportNotAllowed
      ),
      (both, Self.strong, nil, deaf, .pairingNotSupported), ([0x01, 3], Self.strong, nil, policy, .invalidParameters),
      ([0x04] + Self.octets, Self.strong, nil, policy, .commandNotSupported),
      (IdentityInformation(Self.octets).packet, Self.strong, nil, policy, .unspecifiedReason),
    ]
    for (packet, strength, bond, policy, reason) in cases {
      var pairing = pairing(policy)
      let out = receive(packet, &pairing, strength: strength, bond: bond)
      #expect(out.packets == [[0x05, reason.rawValue]])
      #expect(out.events == [.failed(reason, byPeer: false)])
    }
  }

  @Test("A peer that does not continue is no longer heard on the link")
  func timeout() {
    var pairing = pairing(policy)
    let request = PairingRequest(features([.encryption, .identity], [.encryption])).packet
    _ = receive(request, &pairing)
    #expect(pairing.nextDeadline == .zero + .seconds(30))
    var out = SecurityOutput()
    pairing.advance(to: .zero + .seconds(30), into: &out)
    #expect(out.events == [.timedOut])
    #expect(receive(request, &pairing).packets == [])
  }

  @Test("No packet, cut at any octet, upsets it")
  func truncated() {
    let packets = [
      PairingRequest(features([.encryption, .identity, .signing], [.encryption])).packet,
      IdentityInformation(Self.octets).packet, IdentityAddressInformation(Self.peer).packet,
      SigningInformation(Self.octets).packet, [0x05, 1], [0x0B, 1],
    ]
    for first in packets {
      for second in packets {
        for count in 1...second.count {
          var pairing = pairing(policy)
          _ = receive(first, &pairing)
          _ = receive(Array(second.prefix(count)), &pairing)
        }
      }
    }
  }
}

/// Core 5.4 Vol 3 Part H 2.4.2.5: the central of the link initiates the pairing.
@Suite("Keys of LE from BR/EDR, requested by this side")
struct CrossTransportInitiatorTests {
  private static let addresses = (
    initiator: TypedAddress(address: DeviceAddress(bits: 0x00A0_9608_0001), isRandom: false),
    responder: TypedAddress(address: DeviceAddress(bits: 0x00A0_9608_0002), isRandom: false)
  )
  private static let key = CrossTransportPairing.LinkKey(
    [UInt8](1...16), strength: KeyStrength(isAuthenticated: true, isSecureConnections: true, keySize: 16))

  private var policy: PairingPolicy {
    var policy = PairingPolicy()
    policy.isPairable = true
    policy.distributes = [.encryption, .identity, .link]
    policy.wants = [.encryption, .identity, .link]
    return policy
  }

  private func pairing(with peer: TypedAddress, as own: TypedAddress, _ policy: PairingPolicy) -> CrossTransportPairing
  {
    CrossTransportPairing(peer: peer, identity: LocalIdentity(address: own), policy: policy)
  }

  private func initiator(_ policy: PairingPolicy) -> CrossTransportPairing {
    pairing(with: Self.addresses.responder, as: Self.addresses.initiator, policy)
  }

  private func receive(_ packet: [UInt8], _ pairing: inout CrossTransportPairing) -> SecurityOutput {
    var out = SecurityOutput()
    var random = SplitMix64(seed: 1)
    pairing.receive(packet.span, key: Self.key, bond: nil, at: .zero, random: &random, into: &out)
    return out
  }

  @Test("Both sides have the same key, and each other's identity")
  func success() throws {
    var initiator = initiator(policy)
    var responder = pairing(with: Self.addresses.initiator, as: Self.addresses.responder, policy)
    var out = SecurityOutput()
    initiator.begin(key: Self.key, bond: nil, at: .zero, into: &out)
    var (toResponder, toInitiator) = (out.packets, [[UInt8]]())
    var bonds: [Bond] = []
    while !toResponder.isEmpty || !toInitiator.isEmpty {
      var next = SecurityOutput()
      if toResponder.isEmpty {
        next = receive(toInitiator.removeFirst(), &initiator)
        toResponder += next.packets
      } else {
        next = receive(toResponder.removeFirst(), &responder)
        toInitiator += next.packets
      }
      for case .paired(let bond, true) in next.events { bonds.append(bond) }
    }
    #expect(bonds.count == 2)
    #expect(bonds[0].keyAsCentral == bonds[1].keyAsPeripheral && bonds[0].keyAsCentral != nil)
    #expect(Set(bonds.map(\.peer)) == [Self.addresses.initiator, Self.addresses.responder])
    #expect(initiator.nextDeadline == nil && responder.nextDeadline == nil)
  }

  @Test("It asks for nothing that the key, the policy or the bond does not allow")
  func notAllowed() {
    var deaf = policy
    deaf.isPairable = false
    var legacy = policy
    legacy.secureConnections = .none
    var loose = policy
    loose.bonds = false
    var better = Bond(peer: Self.addresses.responder, strength: Self.key.strength)
    better.keyAsCentral = LongTermKey(key: [UInt8](1...16))
    let weak = CrossTransportPairing.LinkKey(
      [UInt8](1...16), strength: KeyStrength(isAuthenticated: false, isSecureConnections: true, keySize: 16))
    let old = CrossTransportPairing.LinkKey(
      [UInt8](1...16), strength: KeyStrength(isAuthenticated: true, isSecureConnections: false, keySize: 16))
    let cases: [(PairingPolicy, CrossTransportPairing.LinkKey, Bond?)] = [
      (deaf, Self.key, nil), (legacy, Self.key, nil), (loose, Self.key, nil), (policy, weak, better),
      (policy, old, nil),
    ]
    for (policy, key, bond) in cases {
      var pairing = initiator(policy)
      var out = SecurityOutput()
      pairing.begin(key: key, bond: bond, at: .zero, into: &out)
      #expect(out.packets == [])
    }
  }

  @Test("A response that adds keys, or leaves none, fails; so does a failure of the peer")
  func refusals() {
    var more = PairingFeatures(policy, role: .responder)
    more.initiatorKeys = [.encryption, .identity, .signing]
    more.responderKeys = [.encryption]
    var fewer = more
    (fewer.initiatorKeys, fewer.responderKeys) = ([.identity], [.encryption])
    let cases: [(packet: [UInt8], answer: [[UInt8]], event: SecurityEvent)] = [
      (PairingResponse(more).packet, [[0x05, 0x0A]], .failed(.invalidParameters, byPeer: false)),
      (PairingResponse(fewer).packet, [[0x05, 0x0E]], .failed(.crossTransportNotAllowed, byPeer: false)),
      ([0x05, 0x05], [], .failed(.pairingNotSupported, byPeer: true)),
      ([0x02], [[0x05, 0x0A]], .failed(.invalidParameters, byPeer: false)),
    ]
    for (packet, answer, event) in cases {
      var pairing = initiator(policy)
      var out = SecurityOutput()
      pairing.begin(key: Self.key, bond: nil, at: .zero, into: &out)
      let next = receive(packet, &pairing)
      #expect(next.packets == answer)
      #expect(next.events == [event])
      #expect(pairing.nextDeadline == nil)
    }
  }

  @Test("A response without a request is refused")
  func unasked() {
    var pairing = initiator(policy)
    #expect(
      receive(PairingResponse(PairingFeatures(policy, role: .responder)).packet, &pairing).packets == [[0x05, 0x08]])
  }
}
