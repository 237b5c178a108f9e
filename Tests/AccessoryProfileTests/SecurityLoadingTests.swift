import AccessoryProfile
import BLECore
import BLEGATT
import BLEL2CAP
import BLESMP
import Testing

@Suite("Security in profiles")
struct SecurityLoadingTests {
  private func security(_ keys: String) throws -> SecurityDefinition {
    try profile("advertising: []\nsecurity: { \(keys) }").security
  }

  // MARK: Pairing

  @Test func doesNotPairByItself() throws {
    #expect(try profile("advertising: []").security == SecurityDefinition())
    #expect(try security("pairing: none, bonding: false") == SecurityDefinition())
    #expect(!SecurityDefinition().canBond)
  }

  @Test(
    arguments: [
      ("just-works", .noInputNoOutput, false), ("display", .displayOnly, true), ("compare", .displayYesNo, true),
      ("keyboard", .keyboardOnly, true), ("keyboard-display", .keyboardDisplay, true),
    ] as [(String, IOCapability, Bool)])
  func capabilities(word: String, capability: IOCapability, wantsAuthentication: Bool) throws {
    let loaded = try security("pairing: \(word)")
    #expect(loaded.pairing.isPairable && loaded.pairing.bonds && loaded.canBond)
    #expect(loaded.pairing.ioCapability == capability)
    #expect(loaded.pairing.prefersAuthentication == wantsAuthentication && !loaded.pairing.requiresAuthentication)
    #expect(try SecurityDefinition.load(loaded.json) == loaded)
  }

  @Test func keysThatAreSaidToBePressed() throws {
    let loaded = try security("pairing: keyboard, keypress: [started, entered, erased, cleared, completed]")
    #expect(loaded.pairing.sendsKeypresses)
    #expect(loaded.pairing.typedKeys == [.entryStarted, .digitEntered, .digitErased, .cleared, .entryCompleted])
    #expect(try SecurityDefinition.load(loaded.json) == loaded)
    #expect(try security("pairing: keyboard, keypress: true").pairing.typedKeys == PairingPolicy.sixDigits)
  }

  @Test func everyKey() throws {
    let loaded = try security(
      """
      pairing: keyboard-display, passkey: 012, bonding: false, mitm: false, secure-connections: only,
        key-size: { minimum: 8, maximum: 12 }, keys: { distributed: [signing, link], wanted: [] }, keypress: true,
        debug-keys: true, request: after-refusal, weaker-keys: true
      """.replacing("012", with: "12"))
    var pairing = PairingPolicy()
    pairing.isPairable = true
    pairing.ioCapability = .keyboardDisplay
    pairing.fixedPasskey = 12
    pairing.bonds = false
    pairing.secureConnections = .only
    pairing.keySizes = 8...12
    pairing.distributes = [.signing, .link]
    pairing.wants = []
    pairing.sendsKeypresses = true
    pairing.usesDebugKeys = true
    pairing.refusesWeakerKeys = false
    #expect(loaded.pairing == pairing)
    #expect(loaded.requests == .afterRefusal && !loaded.canBond)
  }

  @Test func outOfBand() throws {
    let key = String(repeating: "0A", count: 16)
    let legacy = try security("pairing: just-works, oob: { temporary-key: hex:\(key) }").pairing
    #expect(legacy.outOfBand?.temporaryKey == Array(repeating: 10, count: 16) && legacy.outOfBand?.confirm == nil)
    let data = try #require(
      try security("pairing: just-works, mitm: true, oob: { confirm: hex:\(key), random: hex:\(key) }").pairing
        .outOfBand)
    #expect(data.confirm == data.random && data.confirm?.count == 16 && data.temporaryKey == nil)
  }

  // MARK: Answers

  @Test func somebodyIsAskedForWhatAHumanSees() throws {
    let answers = try security("pairing: keyboard-display").answers
    #expect(answers.answer(to: .consent) == .accept)
    for question in [PairingQuestion.comparison(1), .passkey, .display(1)] {
      #expect(answers.answer(to: question) == nil)
    }
  }

  @Test func aFixedPasskeyAsksNobody() throws {
    let answers = try security("pairing: keyboard-display, passkey: 4711").answers
    #expect(answers.answer(to: .passkey) == .passkey(4711))
    #expect(answers.answer(to: .display(4711)) == .accept)
  }

  @Test(
    arguments: [
      ("ask", [nil, nil, nil, nil]), ("accept", [.accept, .accept, nil, .accept]),
      ("refuse", [.refuse, .refuse, .refuse, .refuse]),
      ("{ comparison: accept, passkey: 7 }", [.accept, .accept, .passkey(7), nil]),
      ("{ consent: ask, comparison: refuse, passkey: refuse, display: refuse }", [nil, .refuse, .refuse, .refuse]),
    ] as [(String, [PairingAnswer?])])
  func scripts(answers: String, expected: [PairingAnswer?]) throws {
    let script = try security("pairing: keyboard-display, answers: \(answers)").answers
    let questions: [PairingQuestion] = [.consent, .comparison(1), .passkey, .display(1)]
    #expect(questions.map { script.answer(to: $0) } == expected)
  }

  // MARK: Faults

  @Test func faults() throws {
    let pairing = try security(
      """
      pairing: display, faults: [ wrong-passkey, wrong-key, only-just-works, { at: pairing-response, fail: busy },
        { at: pairing-random, do: fall-silent }, { at: pairing-confirm, do: corrupt } ]
      """
    ).pairing
    #expect(
      pairing.faults == [
        .wrongPasskey, .keepsWrongKey, .fails(SMPCode(rawValue: 0x02), PairingFailed.Reason(rawValue: 0x10)),
        .silent(SMPCode(rawValue: 0x04)), .corrupts(SMPCode(rawValue: 0x03)),
      ])
    #expect(pairing.takesOnlyJustWorks)
  }

  // MARK: JSON

  @Test(
    "JSON output loads as the same value",
    arguments: [
      "pairing: none", "pairing: just-works", "pairing: display, mitm: required, weaker-keys: true",
      "pairing: display, passkey: 7, secure-connections: only",
      "pairing: keyboard, answers: { passkey: 123456, consent: ask }, request: on-connection, mitm: false",
      "pairing: compare, key-size: { minimum: 16 }, keys: { wanted: [signing] }, bonding: false, keypress: true",
      "pairing: display, faults: [ wrong-key, { at: pairing-random, fail: unspecified-reason }, only-just-works ]",
    ])
  func json(keys: String) throws {
    let definition = try security(keys)
    #expect(try SecurityDefinition.load(definition.json) == definition)
  }

  @Test func jsonMistakesNameTheirField() {
    #expect(throws: ProfileValueError.self) {
      try SecurityDefinition.load(.object(["pairing": .string("telepathy")]))
    }
    #expect(throws: ProfileValueError("passkey: 1000000 is not within 0...999999")) {
      try SecurityDefinition.load(.object(["pairing": .string("display"), "passkey": .int(1_000_000)]))
    }
  }

  // MARK: What depends on it

  @Test func permissionsHaveAKeySize() throws {
    let loaded = try profile(
      """
      security: { pairing: display }
      l2cap: [ { id: c, security: authenticated, key-size: 9, handler: echo } ]
      services: [ { uuid: FFF0, characteristics: [ { uuid: FFF1, properties: [read, write, notify],
        permissions: { read: encrypted, write: authenticated, subscribe: secure-connections, key-size: 16 },
        descriptors: [ { uuid: FFF2, value: hex:00, permissions: { read: encrypted, key-size: 7 } } ] } ] } ]
      """)
    let definition = try #require(loaded.services.last?.characteristics.first)
    let requirement = { AccessRequirement(protection: $0, minimumKeySize: 16) }
    #expect(definition.permissions.read == requirement(.encrypted))
    #expect(definition.permissions.write == requirement(.authenticated))
    #expect(definition.configurationPermissions.write == requirement(.secureConnections))
    #expect(definition.configurationPermissions.read == .open)
    #expect(definition.descriptors.last?.permissions.read?.minimumKeySize == 7)
    #expect(loaded.channels.first?.published?.requirement == nil && loaded.channels.first?.minimumKeySize == 9)
    let channel = try #require(loaded.channels.first)
    #expect(try ChannelDefinition.load(channel.json) == channel)
    let published = loaded.assigningAutomaticPSMs().channels.first?.published
    #expect(published?.requirement == AccessRequirement(protection: .authenticated, minimumKeySize: 9))
  }

  @Test func whoBondsTellsOfServiceChanges() throws {
    #expect(try profile("advertising: []\nsecurity: { pairing: just-works }").gatt.canBond)
    #expect(try !profile("advertising: []\nsecurity: { pairing: just-works, bonding: false }").gatt.canBond)
  }
}
