import BLECore
import BLESMP
import Testing

/// Events of a link besides pairing: Security Requests, keys of a bond, encryption, time, and the end (Core 5.4
/// Vol 3 Part H 2.4.4, 2.4.6, 3.4).
@Suite("A link's security")
struct LinkSessionTests {
  typealias Role = SecurityManager.Role

  /// Returns the bonds of both sides after a pairing with these policies.
  private func bonds(
    _ support: SecureConnectionsSupport, _ io: IOCapability = .noInputNoOutput, size: Int = 16
  ) throws -> PerRole<Bond?> {
    let policy = PairingPolicy.pairable(io, authentication: io != .noInputNoOutput, secureConnections: support) {
      $0.keySizes = 7...size
    }
    var pair = PairedManagers(initiator: policy, responder: policy, seed: 77)
    pair.pair()
    let bonds = PerRole(initiator: pair[.initiator].bond, responder: pair[.responder].bond)
    try #require(bonds.initiator != nil && bonds.responder != nil)
    return bonds
  }

  // MARK: Security Request (2.4.6)

  @Test("Without a key the initiator pairs, with AuthReq in the request and in the event")
  func requestPairs() {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo), responder: .pairable(.displayYesNo, authentication: true))
    pair.begin(.responder)
    #expect(pair.packets.first?.octets == [0x0B, 0x2D])
    #expect(
      pair.events.initiator.first == .requested([.bonding, .authentication, .secureConnections, .h7]))
    #expect(pair.model(.initiator) == .numericComparison)
    #expect(pair[.responder].security == LinkSecurity(protection: .secureConnections, keySize: 16, isBonded: true))
  }

  @Test("With a key the initiator encrypts", arguments: [SecureConnectionsSupport.none, .offered])
  func requestEncrypts(support: SecureConnectionsSupport) throws {
    let bonds = try bonds(support)
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: bonds)
    #expect(pair[.initiator].security == LinkSecurity(protection: .none, isBonded: true))
    pair.begin(.responder)
    #expect(pair.packets.map { $0.octets[0] } == [0x0B])
    #expect(pair.usedKeys == [bonds.initiator?.keyAsCentral])
    for role in [Role.initiator, .responder] {
      #expect(pair[role].security == LinkSecurity(protection: .encrypted, keySize: 16, isBonded: true))
      #expect(pair.events[role].last == .securityChanged(pair[role].security))
      #expect(pair[role].nextDeadline == nil)
    }
    let sent = pair.packets.count
    pair.begin(.responder)
    #expect(pair.packets.count == sent, "what the link has is not asked for")
  }

  @Test("With an insufficient key the initiator pairs")
  func requestPairsAnew() throws {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo), responder: .pairable(.displayYesNo, authentication: true),
      bonds: try bonds(.offered))
    pair.begin(.responder)
    #expect(pair[.initiator].bond?.strength.isAuthenticated == true)
    #expect(pair[.responder].bond?.strength.isAuthenticated == true)
    try expectSameKeys(pair)
  }

  @Test("A Pairing Request that crosses a Security Request is answered, and that request is ignored")
  func crossing() throws {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.isManual = true
    pair.pair()
    pair.begin(.responder)
    while pair.step() {}
    #expect(pair.failures(.initiator).isEmpty && pair.failures(.responder).isEmpty)
    #expect(pair.sent(.pairingRequest, by: .initiator).count == 1)
    #expect(!pair.events.initiator.contains { if case .requested = $0 { true } else { false } })
    try expectSameKeys(pair)
  }

  @Test("The user of either side may be asked first")
  func consent() throws {
    var pair = PairedManagers(
      initiator: .pairable { $0.asksConsent = true }, responder: .pairable { $0.asksConsent = true })
    pair.answer = { _, _, _ in nil }
    pair.begin(.responder)
    #expect(pair[.initiator].question == .consent)
    #expect(pair.packets.count == 1)
    pair.reply(.initiator, .accept)
    #expect(pair[.responder].question == .consent)
    #expect(pair.packets.count == 2)
    pair.reply(.responder, .accept)
    try expectSameKeys(pair)
  }

  @Test("An initiator may ask for consent when the model turns out to be Just Works", arguments: [true, false])
  func consentToJustWorks(_ isRefused: Bool) throws {
    var pair = PairedManagers(initiator: .pairable { $0.confirmsJustWorks = true }, responder: .pairable())
    pair.answer = { _, _, _ in nil }
    pair.pair()
    #expect(pair[.initiator].question == .consent)
    #expect(pair.packets.count == 2)
    pair.reply(.initiator, isRefused ? .refuse : .accept)
    if isRefused {
      #expect(pair.failures(.responder) == [.failed(.pairingNotSupported, byPeer: true)])
    } else {
      try expectSameKeys(pair)
    }
  }

  @Test("An initiator that compares digits is not asked for consent as well")
  func noSecondQuestion() throws {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo) { $0.confirmsJustWorks = true },
      responder: .pairable(.displayYesNo, authentication: true))
    var questions: [PairingQuestion] = []
    pair.answer = { role, question, _ in
      if role == .initiator { questions.append(question) }
      return .accept
    }
    pair.pair()
    #expect(questions.count == 1 && !questions.contains(.consent))
    try expectSameKeys(pair)
  }

  // MARK: Keys of a bond (2.4.4)

  @Test("The initiator encrypts with the bond's key, and pairs if a new pairing is requested")
  func beginEncrypts() throws {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: try bonds(.none))
    pair.begin(.initiator)
    #expect(pair.packets.isEmpty)
    #expect(pair[.responder].security.protection == .encrypted)
    // Pairing again on the encrypted link: better keys, by Key Refresh.
    pair.begin(.initiator, anew: true)
    #expect(pair[.responder].bond?.strength.isSecureConnections == true)
    #expect(pair.usedKeys.count == 2 && pair.usedKeys[0] != pair.usedKeys[1])
    try expectSameKeys(pair)
  }

  @Test("A peer that has lost its key leaves the link open", arguments: [SecureConnectionsSupport.none, .offered])
  func keyMissing(support: SecureConnectionsSupport) throws {
    var bonds = try bonds(support)
    bonds.responder = nil
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: bonds)
    pair.begin(.initiator)
    #expect(pair.events.initiator == [.keyMissing])
    #expect(pair[.initiator].security == LinkSecurity(protection: .none, isBonded: true))
    pair.begin(.initiator, anew: true)
    try expectSameKeys(pair)
    #expect(pair[.initiator].security.protection == .encrypted)
  }

  @Test("Only EDIV and Rand of the bond identify its key")
  func longTermKey() throws {
    let bonds = try bonds(.none)
    let key = try #require(bonds.responder?.keyAsPeripheral)
    var manager = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: bonds).managers.responder
    let requests: [(UInt64, UInt16)] = [
      (key.random, key.diversifier), (key.random ^ 1, key.diversifier), (key.random, key.diversifier ^ 1), (0, 0),
    ]
    #expect(requests.map { manager.longTermKey(random: $0.0, diversifier: $0.1) } == [key.key, nil, nil, nil])
    let secure = try self.bonds(.offered)
    manager.bond = secure.responder
    #expect(
      [(0, 0), (1, 0), (0, 1)].map { manager.longTermKey(random: $0.0, diversifier: $0.1) } == [
        secure.responder?.keyAsPeripheral?.key, nil, nil,
      ])
    manager.bond = nil
    let none = manager.longTermKey(random: 0, diversifier: 0)
    #expect(none == nil)
  }

  @Test("A key from elsewhere, or an unknown one, has the strength of the bond")
  func foreignEncryption() throws {
    var random = SplitMix64(seed: 1)
    for bonds in [nil, try bonds(.offered, .displayYesNo)] {
      var manager = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: bonds).managers.responder
      var out = SecurityOutput()
      manager.encryptionChanged(isOn: true, at: .zero, random: &random, into: &out)
      #expect(manager.security.protection == (bonds == nil ? .encrypted : .secureConnections))
      #expect(out.events == [.securityChanged(manager.security)])
      out = SecurityOutput()
      manager.encryptionChanged(isOn: false, at: .zero, random: &random, into: &out)
      #expect(manager.security.protection == .none)
      #expect(out.events == [.securityChanged(manager.security)])
    }
  }

  @Test("Encryption with the old key does not end phase 2 of a pairing")
  func oldKeyWhilePairing() throws {
    var random = SplitMix64(seed: 1)
    var pair = PairedManagers(
      initiator: .pairable(secureConnections: .none), responder: .pairable(secureConnections: .none),
      bonds: try bonds(.none))
    let old = try #require(pair[.responder].bond?.keyAsPeripheral)
    pair.isManual = true
    pair.pair()
    while pair.sent(.pairingRandom, by: .responder).isEmpty, pair.step() {}
    var manager = pair.managers.responder
    var out = SecurityOutput()
    let key = manager.longTermKey(random: old.random, diversifier: old.diversifier)
    #expect(key == old.key)
    manager.encryptionChanged(isOn: true, at: .zero, random: &random, into: &out)
    #expect(out.packets.isEmpty)
    #expect(manager.isPairing)
  }

  @Test("No key is sent if encryption cannot be started, or ends")
  func encryptionFails() {
    var random = SplitMix64(seed: 1)
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.isManual = true
    pair.pair()
    while pair.sent(.pairingDHKeyCheck, by: .responder).isEmpty, pair.step() {}
    var manager = pair.managers.responder
    var out = SecurityOutput()
    manager.encryptionChanged(isOn: false, at: .zero, random: &random, into: &out)
    #expect(out.packets == [[0x05, 0x08]])
    #expect(out.events == [.failed(.unspecifiedReason, byPeer: false)])

    while pair.encryptionKey == nil, pair.step() {}
    manager = pair.managers.responder
    #expect(manager.isPairing)
    out = SecurityOutput()
    manager.encryptionChanged(isOn: false, at: .zero, random: &random, into: &out)
    #expect(out.packets == [[0x05, 0x08]])
    #expect(manager.bond == nil)
  }

  // MARK: Weaker keys

  @Test(
    "A bond is not replaced by a weaker one, unless the policy says so",
    arguments: [Role.initiator, .responder], [true, false])
  func downgrade(role: Role, refuses: Bool) throws {
    let strong = try bonds(.offered, .displayYesNo)
    let weaker: [(PairingPolicy, PairingFailed.Reason)] = [
      (.pairable(.displayYesNo), .authenticationRequirements),
      (.pairable(.keyboardDisplay, authentication: true, secureConnections: .none), .authenticationRequirements),
      (.pairable(.displayYesNo, authentication: true) { $0.keySizes = 7...12 }, .encryptionKeySize),
    ]
    for (policy, reason) in weaker {
      // Only one side still has its bond.
      var bonds = strong
      bonds[role.other] = nil
      var policies = PerRole(initiator: policy, responder: policy)
      policies[role].refusesWeakerKeys = refuses
      var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder, bonds: bonds)
      pair.pair()
      #expect(pair.failures(role) == (refuses ? [.failed(reason, byPeer: false)] : []))
      #expect((pair[role].bond == strong[role]) == refuses)
    }
  }

  @Test("Equally strong keys replace those of a bond")
  func sameStrength() throws {
    let policy = PairingPolicy.pairable(.displayYesNo, authentication: true)
    let old = try bonds(.offered, .displayYesNo)
    var pair = PairedManagers(initiator: policy, responder: policy, bonds: old)
    pair.pair()
    #expect(pair[.responder].bond?.keyAsPeripheral != old.responder?.keyAsPeripheral)
    try expectSameKeys(pair)
  }

  // MARK: Time (3.4)

  @Test(
    "After 30 s of silence the pairing has failed, and the link permits no other",
    arguments: [Role.initiator, .responder])
  func timeout(role: Role) {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo, authentication: true),
      responder: .pairable(.displayYesNo, authentication: true))
    pair.answer = { _, _, _ in nil }
    pair.pair()
    pair.wait(.milliseconds(29_999))
    #expect(pair.failures(role).isEmpty && pair[role].isPairing)
    pair.wait(.milliseconds(1))
    #expect(pair.failures(role) == [.timedOut])
    #expect(pair.events[role].suffix(2) == [.questionEnded, .timedOut])
    #expect(pair[role].nextDeadline == nil && pair[role].question == nil && !pair[role].isPairing)
    let sent = pair.packets.count
    for packet in SMPPacketTests.packets.map(\.1) { pair.receive(role, packet) }
    pair.begin(role, anew: true)
    #expect(pair.packets.count == sent)
    #expect(pair.failures(role) == [.timedOut, .timedOut])
  }

  @Test("Each sent packet restarts the 30 s")
  func timerRestarts() throws {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo, authentication: true),
      responder: .pairable(.displayYesNo, authentication: true))
    pair.isManual = true
    pair.pair()
    repeat { pair.wait(.seconds(4)) } while pair.step()
    #expect(pair.failures(.initiator).isEmpty && pair.failures(.responder).isEmpty)
    try expectSameKeys(pair)
    #expect(pair.now > .zero + .seconds(60))
  }

  @Test("A Security Request without an answer also times out; one that is answered does not")
  func securityRequestTimeout() throws {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.alter = { _, _ in nil }
    pair.begin(.responder)
    pair.wait(.seconds(30))
    #expect(pair.failures(.responder) == [.timedOut])

    pair = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: try bonds(.offered))
    pair.begin(.responder)
    pair.wait(.seconds(60))
    #expect(pair.failures(.responder).isEmpty)
  }

  @Test("A link that timed out is still encrypted with the bond's key")
  func encryptsAfterTimeout() throws {
    let bonds = try bonds(.offered)
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable(), bonds: bonds)
    pair.alter = { _, _ in nil }
    pair.begin(.responder)
    pair.wait(.seconds(30))
    var manager = pair.managers.responder
    let key = manager.longTermKey(random: 0, diversifier: 0)
    #expect(key == bonds.responder?.keyAsPeripheral?.key)
  }

  // MARK: The end

  @Test("A pairing that is interrupted by the end of its link leaves no key, at any point")
  func cut() {
    let policy = PairingPolicy.pairable(.displayYesNo, authentication: true)
    var steps = 0
    while true {
      var pair = PairedManagers(initiator: policy, responder: policy)
      pair.isManual = true
      pair.pair()
      for _ in 0..<steps { _ = pair.step() }
      let isDone = pair[.initiator].bond != nil && pair[.responder].bond != nil
      let wasPairing = PerRole(initiator: pair[.initiator].isPairing, responder: pair[.responder].isPairing)
      pair.endLink()
      for role in [Role.initiator, .responder] {
        #expect(pair.failures(role) == (wasPairing[role] ? [.cut] : []))
        #expect(pair[role].question == nil && pair[role].nextDeadline == nil)
        #expect(pair[role].security.protection == .none)
      }
      guard !isDone else { break }
      steps += 1
    }
    #expect(steps > 10)
  }

  @Test(
    "Keypress notifications are sent if both sides request them", arguments: [true, false],
    [SecureConnectionsSupport.none, .offered])
  func keypresses(both: Bool, support: SecureConnectionsSupport) throws {
    var pair = PairedManagers(
      initiator: .pairable(.keyboardOnly, authentication: true, secureConnections: support) {
        $0.sendsKeypresses = true
      },
      responder: .pairable(.displayOnly, authentication: true) { $0.sendsKeypresses = both })
    pair.pair()
    let events: [Keypress] = pair.events.responder.compactMap { if case .keypress(let key) = $0 { key } else { nil } }
    #expect(events == (both ? [.entryStarted] + Array(repeating: .digitEntered, count: 6) + [.entryCompleted] : []))
    try expectSameKeys(pair)
  }
}
