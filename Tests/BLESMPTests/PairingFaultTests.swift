import BLECore
import BLESMP
import Testing

/// Deliberate faults of a side, at every packet that it sends. No fault leaves the sides with different keys without either of them
/// knowing, except the fault meant to do that.
@Suite("Deliberate faults")
struct PairingFaultTests {
  typealias Role = SecurityManager.Role

  private static let codes: [Role: [UInt8]] = [
    .initiator: [0x01, 0x0C, 0x03, 0x04, 0x0D, 0x06, 0x07, 0x08, 0x09, 0x0A],
    .responder: [0x02, 0x0C, 0x03, 0x04, 0x0D, 0x06, 0x07, 0x08, 0x09, 0x0A],
  ]

  /// Runs a pairing with a fault of one side, which has no effect if the packet is never sent.
  private func pair(_ role: Role, _ fault: PairingFault, _ support: SecureConnectionsSupport) -> PairedManagers {
    let all: KeyKinds = [.encryption, .identity, .signing]
    var policies = PerRole(
      initiator: PairingPolicy.pairable(secureConnections: support) {
        $0.distributes = all; $0.wants = all
      },
      responder: .pairable(secureConnections: support) {
        $0.distributes = all; $0.wants = all
      })
    policies[role].faults = [fault]
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    return pair
  }

  private func isDue(_ code: UInt8, _ role: Role, _ support: SecureConnectionsSupport) -> Bool {
    switch code {
    case 0x0C, 0x0D: support == .offered
    case 0x06, 0x07: support == .none
    case 0x03: support == .none || role == .responder
    default: true
    }
  }

  @Test(
    "It fails at each packet, with any reason", arguments: [Role.initiator, .responder],
    [SecureConnectionsSupport.none, .offered])
  func fails(role: Role, support: SecureConnectionsSupport) {
    for code in Self.codes[role] ?? [] where isDue(code, role, support) {
      let pair = pair(role, .fails(SMPCode(rawValue: code), .init(rawValue: 0x77)), support)
      #expect(pair.failures(role) == [.failed(.init(rawValue: 0x77), byPeer: false)])
      // When the last keys are sent, the peer has finished already.
      #expect(
        pair.failures(role.other) == [.failed(.init(rawValue: 0x77), byPeer: true)] || pair[role.other].bond != nil
          || (code == 0x01 && pair.failures(role.other).isEmpty), "code \(code)")
      #expect(!pair.codes(role).contains(code))
      #expect(pair[role].bond == nil)
    }
  }

  @Test(
    "It falls silent at each packet", arguments: [Role.initiator, .responder],
    [SecureConnectionsSupport.none, .offered])
  func silent(role: Role, support: SecureConnectionsSupport) {
    for code in Self.codes[role] ?? [] where isDue(code, role, support) {
      var pair = pair(role, .silent(SMPCode(rawValue: code)), support)
      #expect(!pair.codes(role).contains(code))
      pair.wait(.seconds(30))
      let other = pair.failures(role.other)
      #expect(!other.isEmpty || code == 0x01, "code \(code)")
      #expect(pair[role.other].bond == nil)
      #expect(!pair[role].isPairing && !pair[role.other].isPairing)
    }
  }

  @Test("It corrupts each packet", arguments: [Role.initiator, .responder], [SecureConnectionsSupport.none, .offered])
  func corrupts(role: Role, support: SecureConnectionsSupport) {
    for code in Self.codes[role] ?? [] where isDue(code, role, support) {
      let pair = pair(role, .corrupts(SMPCode(rawValue: code)), support)
      let hint: Comment = "code \(code)"
      switch code {
      case 0x01, 0x02, 0x0C, 0x09:
        #expect(pair.failures(role.other) == [.failed(.invalidParameters, byPeer: false)], hint)
      case 0x03, 0x04, 0x0D:
        #expect(pair.encryptionKey == nil, hint)
        #expect(pair.failures(.initiator).count == 1 && pair.failures(.responder).count == 1, hint)
      default:
        // A key that is corrupted in transit is detected when it is used.
        #expect(pair[role].bond != nil && pair[role.other].bond != nil, hint)
        let (own, peers) = (pair[role].bond, pair[role.other].bond)
        #expect(
          own?.keyAsPeripheral != peers?.keyAsCentral || own?.ownSigning?.key != peers?.peerSigning?.key
            || peers?.identityResolvingKey != PairedManagers.identities[role].identityResolvingKey, hint)
      }
    }
  }

  @Test(
    "It shows or types a different passkey", arguments: [Role.initiator, .responder],
    [SecureConnectionsSupport.none, .offered])
  func wrongPasskey(role: Role, support: SecureConnectionsSupport) {
    for typist in [Role.initiator, .responder] {
      var policies = PerRole(
        initiator: PairingPolicy.pairable(.displayOnly, authentication: true, secureConnections: support),
        responder: .pairable(.displayOnly, authentication: true, secureConnections: support))
      policies[typist].ioCapability = .keyboardOnly
      policies[role].faults = [.wrongPasskey]
      var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
      pair.pair()
      #expect(pair.failures(.responder) == [.failed(.confirmValueFailed, byPeer: false)])
    }
  }

  @Test(
    "It stores a different key: the next encryption fails", arguments: [Role.initiator, .responder],
    [SecureConnectionsSupport.none, .offered])
  func keepsWrongKey(role: Role, support: SecureConnectionsSupport) {
    var pair = pair(role, .keepsWrongKey, support)
    #expect(pair[.initiator].bond != nil && pair[.responder].bond != nil)
    #expect(pair.encryptionKey != nil)
    pair.endLink()
    pair.events = PerRole(initiator: [], responder: [])
    pair.begin(.initiator)
    #expect(pair.encryptionKey == nil)
    #expect(pair.events.initiator == [.keyMissing])
  }

  @Test("It answers nothing if even the refusal is suppressed")
  func silentRefusal() {
    var pair = PairedManagers(
      initiator: .pairable(),
      responder: .pairable {
        $0.requiresAuthentication = true
        $0.faults = [.silent(.pairingFailed)]
      })
    pair.pair()
    #expect(pair.codes(.responder).isEmpty)
    #expect(pair[.initiator].isPairing)
  }
}

/// Any policies of both sides, with any lost or changed packets.
@Suite("Any two policies")
struct AnyPolicyTests {
  typealias Role = SecurityManager.Role

  private func policy(_ random: inout SplitMix64) -> PairingPolicy {
    func flag(_ percent: UInt64) -> Bool { random.upTo(99) < percent }
    var policy = PairingPolicy()
    policy.isPairable = flag(97)
    policy.ioCapability = IOCapability(rawValue: UInt8(random.upTo(4))) ?? .noInputNoOutput
    policy.bonds = flag(85)
    policy.requiresAuthentication = flag(10)
    policy.prefersAuthentication = flag(60)
    policy.secureConnections = flag(70) ? .offered : flag(80) ? .none : .only
    policy.keySizes = Int(7 + random.upTo(2))...Int(9 + random.upTo(7))
    policy.distributes = KeyKinds(rawValue: UInt8(random.upTo(15)))
    policy.wants = KeyKinds(rawValue: UInt8(random.upTo(15)))
    policy.sendsKeypresses = flag(50)
    policy.usesDebugKeys = flag(5)
    policy.supportsH7 = flag(50)
    policy.asksConsent = flag(20)
    return policy
  }

  @Test("Both sides end with the same keys, or both without", arguments: UInt64(0)..<300)
  func same(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var pair = PairedManagers(initiator: policy(&random), responder: policy(&random), seed: seed)
    pair.pair()
    #expect((pair.paired(.initiator) == nil) == (pair.paired(.responder) == nil))
    #expect(pair.failures(.initiator).isEmpty == (pair.paired(.initiator) != nil))
    #expect(pair.failures(.responder).isEmpty || pair.paired(.responder) == nil)
    #expect(pair[.initiator].security.protection == pair[.responder].security.protection)
    #expect(pair[.initiator].security.keySize == pair[.responder].security.keySize)
    if pair.paired(.initiator) != nil { try expectSameKeys(pair) }
  }

  @Test("A packet that is changed in transit never leads to different keys", arguments: UInt64(0)..<300)
  func changed(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let io = IOCapability.allCases[Int(random.upTo(4))]
    let support: SecureConnectionsSupport = random.upTo(1) == 0 ? .none : .offered
    let policy = PairingPolicy.pairable(io, authentication: true, secureConnections: support)
    var pair = PairedManagers(initiator: policy, responder: policy, seed: seed)
    let (chosen, bit) = (Int(random.upTo(9)), Int(random.upTo(500)))
    var seen = 0
    pair.isManual = true
    pair.pair()
    // Keys are sent on an encrypted link, where packets cannot be changed.
    while pair.encryptionKey == nil, pair.step() {
      seen += 1
      if seen == chosen, pair.encryptionKey == nil { pair.flip(bit) }
    }
    while pair.step() {}
    let (initiator, responder) = (pair.paired(.initiator), pair.paired(.responder))
    #expect((initiator == nil) == (responder == nil))
    if initiator != nil { try expectSameKeys(pair) }
  }
}
