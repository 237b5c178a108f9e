import BLECore
import BLESMP
import Testing

/// Every reason of Pairing Failed (Core 5.4 Vol 3 Part H 3.5.5), and its causes.
@Suite("Failures of pairing")
struct FailureTests {
  typealias Role = SecurityManager.Role
  typealias Reason = PairingFailed.Reason

  /// Expects that both sides have failed for that reason, have no key, and can pair again.
  private func expectFailure(
    _ reason: Reason, by role: Role, _ pair: PairedManagers, sourceLocation: SourceLocation = #_sourceLocation
  ) {
    #expect(pair.failures(role) == [.failed(reason, byPeer: false)], sourceLocation: sourceLocation)
    #expect(pair.failures(role.other) == [.failed(reason, byPeer: true)], sourceLocation: sourceLocation)
    for role in [Role.initiator, .responder] {
      #expect(pair[role].bond == nil, sourceLocation: sourceLocation)
      #expect(pair[role].question == nil, sourceLocation: sourceLocation)
      #expect(pair[role].nextDeadline == nil, sourceLocation: sourceLocation)
      #expect(!pair[role].isPairing, sourceLocation: sourceLocation)
    }
  }

  @Test(
    "Passkey Entry Failed: a user cancels", arguments: [Role.initiator, .responder],
    [SecureConnectionsSupport.none, .offered])
  func cancelledPasskey(typist: Role, support: SecureConnectionsSupport) {
    var policies = PerRole(
      initiator: PairingPolicy.pairable(.displayOnly, authentication: true, secureConnections: support),
      responder: .pairable(.displayOnly, authentication: true, secureConnections: support))
    policies[typist].ioCapability = .keyboardOnly
    for canceller in [typist, typist.other] {
      var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
      pair.answer = { role, _, _ in role == canceller ? .refuse : nil }
      pair.pair()
      expectFailure(.passkeyEntryFailed, by: canceller, pair)
    }
  }

  @Test("Authentication Requirements: no protection where it is required", arguments: [Role.initiator, .responder])
  func authenticationRequired(role: Role) {
    var policies = PerRole(initiator: PairingPolicy.pairable(), responder: .pairable())
    policies[role].requiresAuthentication = true
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    expectFailure(.authenticationRequirements, by: role, pair)
  }

  @Test("Authentication Requirements: Secure Connections Only", arguments: [Role.initiator, .responder])
  func secureConnectionsOnly(role: Role) {
    var policies = PerRole(
      initiator: PairingPolicy.pairable(secureConnections: .none), responder: .pairable(secureConnections: .none))
    policies[role].secureConnections = .only
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    expectFailure(.authenticationRequirements, by: role, pair)
  }

  @Test("Authentication Requirements: only Just Works is accepted", arguments: [Role.initiator, .responder])
  func onlyJustWorks(role: Role) {
    var policies = PerRole(
      initiator: PairingPolicy.pairable(.displayYesNo, authentication: true),
      responder: .pairable(.displayYesNo, authentication: true))
    policies[role].takesOnlyJustWorks = true
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    expectFailure(.authenticationRequirements, by: role, pair)
  }

  @Test(
    "Confirm Value Failed: a different passkey", arguments: [Role.initiator, .responder],
    [SecureConnectionsSupport.none, .offered])
  func wrongPasskey(typist: Role, support: SecureConnectionsSupport) {
    var policies = PerRole(
      initiator: PairingPolicy.pairable(.displayOnly, authentication: true, secureConnections: support),
      responder: .pairable(.displayOnly, authentication: true, secureConnections: support))
    policies[typist].ioCapability = .keyboardOnly
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.answer = { role, question, pair in
      question == .passkey ? pair.shown(on: role.other).map { .passkey(($0 + 1) % 1_000_000) } : nil
    }
    pair.pair()
    // The responder gets the initiator's random value first, and so detects it first.
    expectFailure(.confirmValueFailed, by: .responder, pair)
    #expect(!pair.codes(.initiator).contains(0x0D))
  }

  @Test("Pairing Not Supported: a side does not pair, or a user refuses")
  func notSupported() {
    var pair = PairedManagers(initiator: .pairable(), responder: PairingPolicy())
    pair.pair()
    expectFailure(.pairingNotSupported, by: .responder, pair)

    pair = PairedManagers(initiator: .pairable(), responder: .pairable { $0.asksConsent = true })
    pair.answer = { _, question, _ in question == .consent ? .refuse : nil }
    pair.pair()
    expectFailure(.pairingNotSupported, by: .responder, pair)

    pair = PairedManagers(initiator: PairingPolicy(), responder: .pairable())
    pair.begin(.responder)
    expectFailure(.pairingNotSupported, by: .initiator, pair)

    pair = PairedManagers(initiator: PairingPolicy(), responder: PairingPolicy())
    pair.pair()
    pair.begin(.responder)
    #expect(pair.packets.isEmpty)
    #expect(pair.failures(.initiator) == [.failed(.pairingNotSupported, byPeer: false)])
    #expect(pair.failures(.responder) == [.failed(.pairingNotSupported, byPeer: false)])
  }

  @Test("Pairing Not Supported: a request of any length, and nothing else is answered", arguments: 1...30)
  func notSupportedAtAnyLength(count: Int) {
    var pair = PairedManagers(initiator: .pairable(), responder: PairingPolicy())
    pair.receive(.responder, [0x01] + Array(repeating: 0xFF, count: count - 1))
    pair.receive(.responder, [0x03] + Array(repeating: 0, count: count))
    pair.receive(.responder, [])
    #expect(pair.packets.map(\.octets) == [[0x05, 0x05]])
  }

  @Test("Encryption Key Size: too short a key", arguments: [Role.initiator, .responder], [7, 15])
  func keySize(role: Role, size: Int) {
    var policies = PerRole(initiator: PairingPolicy.pairable(), responder: .pairable())
    policies[role].keySizes = (size + 1)...16
    policies[role.other].keySizes = 7...size
    var pair = PairedManagers(initiator: policies.initiator, responder: policies.responder)
    pair.pair()
    expectFailure(.encryptionKeySize, by: role, pair)
  }

  @Test("Encryption Key Size: Secure Connections Only accepts only 16 octets")
  func secureConnectionsOnlyKeySize() {
    var pair = PairedManagers(
      initiator: .pairable { $0.keySizes = 7...15 }, responder: .pairable(secureConnections: .only))
    pair.pair()
    expectFailure(.encryptionKeySize, by: .responder, pair)
  }

  @Test("A peer that does not bond gets no keys, although it requests them")
  func keysWithoutBond() throws {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.isManual = true
    pair.receive(.responder, [0x01, 0x03, 0x00, 0x00, 0x10, 0x07, 0x07])
    #expect(try #require(pair.packets.last).octets.suffix(2) == [0, 0])
  }

  @Test("Repeated Attempts: a peer that has to wait")
  func repeatedAttempts() {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.managers.responder.blockedUntil = .zero + .seconds(5)
    pair.pair()
    expectFailure(.repeatedAttempts, by: .responder, pair)
    pair.wait(.seconds(5))
    pair.pair()
    #expect(pair[.responder].bond != nil)
  }

  @Test("Repeated Attempts: an initiator also waits, and answers a Security Request with it")
  func repeatedAttemptsOfInitiator() {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.managers.initiator.blockedUntil = .zero + .seconds(5)
    pair.pair()
    #expect(pair.packets.isEmpty)
    #expect(pair.failures(.initiator) == [.failed(.repeatedAttempts, byPeer: false)])
    pair.events.initiator = []
    pair.begin(.responder)
    expectFailure(.repeatedAttempts, by: .initiator, pair)
  }

  @Test(
    "Invalid Parameters: fields out of range",
    arguments: [(1, 0x05), (1, 0xFF), (2, 0x02), (4, 6), (4, 17), (4, 0)] as [(Int, UInt8)])
  func invalidParameters(place: Int, value: UInt8) {
    for (code, role) in [(UInt8(0x01), Role.responder), (0x02, .initiator)] {
      var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
      pair.alter = { _, packet in
        var packet = packet
        if packet[0] == code { packet[place] = value }
        return packet
      }
      pair.pair()
      expectFailure(.invalidParameters, by: role, pair)
    }
  }

  @Test("Invalid Parameters: a response with keys that were not requested (3.6.1)")
  func addedKeys() {
    var pair = PairedManagers(
      initiator: .pairable {
        $0.distributes = [.identity]; $0.wants = [.identity]
      }, responder: .pairable())
    pair.alter = { _, packet in packet[0] == 0x02 ? Array(packet.prefix(6)) + [0x06] : packet }
    pair.pair()
    expectFailure(.invalidParameters, by: .initiator, pair)
  }

  @Test(
    "Invalid Parameters: an invalid identity", arguments: [(2, 0xD0), (1, 0x80), (1, 0x00)] as [(UInt8, UInt8)])
  func invalidIdentity(type: UInt8, top: UInt8) {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.alter = { role, packet in
      packet[0] == 0x09 && role == .initiator ? [0x09, type, 1, 2, 3, 4, 5, top] : packet
    }
    pair.pair()
    #expect(pair.failures(.responder) == [.failed(.invalidParameters, byPeer: false)])
    #expect(pair[.responder].bond == nil)
  }

  // MARK: Public keys (2.3.5.6.1)

  @Test("A public key that is not on the curve", arguments: [Role.initiator, .responder])
  func invalidKey(sender: Role) {
    for place in [1, 40] {
      var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
      pair.alter = { role, packet in
        var packet = packet
        if packet[0] == 0x0C, role == sender {
          if place == 1 { packet.replaceSubrange(1...64, with: Array(repeating: 0, count: 64)) }
          packet[place] ^= 0x55
        }
        return packet
      }
      pair.pair()
      expectFailure(.invalidParameters, by: sender.other, pair)
    }
  }

  @Test("This side's own public key, with either y, is refused from a peer")
  func reflectedKey() throws {
    for negates in [false, true] {
      var pair = PairedManagers(
        initiator: .pairable(.displayOnly, authentication: true),
        responder: .pairable(.keyboardOnly, authentication: true))
      var own: [UInt8] = []
      pair.isManual = true
      pair.pair()
      while own.isEmpty, pair.step() { own = pair.sent(.pairingPublicKey, by: .initiator).first ?? [] }
      let reflected = negates ? Array(own.prefix(33)) + Self.negated(Array(own.suffix(32))) : own
      pair.receive(.initiator, reflected)
      #expect(pair.failures(.initiator) == [.failed(.invalidParameters, byPeer: false)])
    }
  }

  /// Returns the other y of a point: the field's prime minus y, least significant octet first.
  private static func negated(_ y: [UInt8]) -> [UInt8] {
    let prime =
      [UInt8](repeating: 0xFF, count: 12) + [UInt8](repeating: 0, count: 12) + [1, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF]
    var borrow = 0
    return zip(prime, y).map { prime, y in
      let difference = Int(prime) - Int(y) - borrow
      borrow = difference < 0 ? 1 : 0
      return UInt8(truncatingIfNeeded: difference)
    }
  }

  @Test("A confirm value that is sent back proves nothing")
  func reflectedConfirm() {
    var pair = PairedManagers(initiator: .pairable(secureConnections: .none), responder: .pairable())
    var own: [UInt8] = []
    pair.isManual = true
    pair.pair()
    while own.isEmpty, pair.step() { own = pair.sent(.pairingConfirm, by: .initiator).first ?? [] }
    pair.receive(.initiator, own)
    #expect(pair.failures(.initiator) == [.failed(.confirmValueFailed, byPeer: false)])
  }

  // MARK: Values that were changed on their way

  @Test(
    "A value that is changed in transit is detected",
    arguments: [
      (0x03, .none, .responder, .confirmValueFailed), (0x04, .none, .responder, .confirmValueFailed),
      (0x03, .offered, .initiator, .confirmValueFailed), (0x04, .offered, .initiator, .confirmValueFailed),
      (0x0D, .offered, .responder, .dhKeyCheckFailed),
    ] as [(UInt8, SecureConnectionsSupport, Role, Reason)])
  func changed(code: UInt8, support: SecureConnectionsSupport, finder: Role, reason: Reason) {
    var pair = PairedManagers(initiator: .pairable(secureConnections: support), responder: .pairable())
    pair.alter = { _, packet in
      guard packet[0] == code else { return packet }
      return Array(packet.dropLast()) + [(packet.last ?? 0) ^ 1]
    }
    pair.pair()
    #expect(pair.failures(finder).first == .failed(reason, byPeer: false))
    #expect(pair[.initiator].bond == nil && pair[.responder].bond == nil)
    #expect(pair.encryptionKey == nil)
  }

  @Test("The initiator detects a responder's wrong DHKey check")
  func wrongResponderCheck() {
    var pair = PairedManagers(initiator: .pairable(), responder: .pairable())
    pair.alter = { role, packet in
      role == .responder && packet[0] == 0x0D ? [0x0D] + packet.dropFirst().reversed() : packet
    }
    pair.pair()
    #expect(pair.failures(.initiator) == [.failed(.dhKeyCheckFailed, byPeer: false)])
    #expect(pair.failures(.responder) == [.failed(.dhKeyCheckFailed, byPeer: true)])
  }

  @Test("Numeric Comparison Failed: a user refuses", arguments: [Role.initiator, .responder])
  func refusedComparison(role: Role) {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo, authentication: true),
      responder: .pairable(.displayYesNo, authentication: true))
    pair.answer = { asked, question, pair in
      asked == role ? .refuse : pair.goodAnswer(to: question, of: asked)
    }
    pair.pair()
    #expect(pair.failures(role) == [.failed(.numericComparisonFailed, byPeer: false)])
    #expect(pair.failures(role.other) == [.failed(.numericComparisonFailed, byPeer: true)])
  }

  @Test("Any reason of the peer ends the pairing", arguments: UInt8.min...UInt8.max)
  func peersReason(raw: UInt8) {
    var pair = PairedManagers(
      initiator: .pairable(.displayYesNo, authentication: true),
      responder: .pairable(.displayYesNo, authentication: true))
    pair.answer = { _, _, _ in nil }
    pair.pair()
    #expect(pair[.initiator].question != nil)
    pair.receive(.initiator, [0x05, raw])
    #expect(pair.failures(.initiator) == [.failed(Reason(rawValue: raw), byPeer: true)])
    #expect(pair.events.initiator.suffix(2).first == .questionEnded)
    #expect(pair[.initiator].question == nil)
  }

  // MARK: Answers

  @Test("Only a matching answer to the question is accepted")
  func answers() {
    var pair = PairedManagers(
      initiator: .pairable(.keyboardOnly, authentication: true),
      responder: .pairable(.displayOnly, authentication: true))
    let early = pair.reply(.initiator, .accept)
    #expect(!early)
    pair.answer = { _, _, _ in nil }
    pair.pair()
    #expect(pair[.initiator].question == .passkey)
    let shown = pair.shown(on: .responder) ?? 0
    let answers: [(Role, PairingAnswer)] = [
      (.initiator, .accept), (.initiator, .passkey(1_000_000)), (.responder, .passkey(1)), (.responder, .accept),
    ]
    // A displayed passkey may be accepted, which changes nothing.
    #expect(answers.map { pair.reply($0.0, $0.1) } == [false, false, false, true])
    #expect(pair[.responder].question == .display(shown))
    let taken = (0..<2).map { _ in pair.reply(.initiator, .passkey(shown)) }
    #expect(taken == [true, false])
    #expect(pair[.initiator].bond != nil)
  }
}
