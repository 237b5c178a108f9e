import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// Pairings with problems, and their aftermath.
@Suite("Pairings with problems", .timeLimit(.minutes(20)))
struct PairingTroubleTests {
  @Test("An accessory without pairing refuses it, and the link continues")
  func notSupported() throws {
    let scene = try VaultScene(PairingPolicy())
    let link = try scene.connect()
    #expect(try scene.phone.pair(link) == .failed(.pairingNotSupported, byPeer: true))
    #expect(try scene.refusal(Vault.open, on: link) == nil)
    #expect(throws: HostRequestError.notPairable) { try scene.vault.perform(.pair(try #require(scene.link).handle)) }
  }

  @Test("Keys too short for one side are refused; values that need long keys stay closed to short ones")
  func keySizes() throws {
    var short = PairingPolicy.pairable()
    short.keySizes = 7...10
    var long = PairingPolicy.pairable()
    long.keySizes = 16...16
    let strict = try VaultScene(long, phone: short)
    #expect(try strict.phone.pair(try strict.connect()) == .failed(.encryptionKeySize, byPeer: true))
    #expect(strict.vault.stack.bonds.isEmpty)

    let scene = try VaultScene(phone: short)
    let link = try scene.connect()
    guard case .paired(let bond, _) = try scene.phone.pair(link) else {
      Issue.record("not paired")
      return
    }
    #expect(bond.strength.keySize == 10)
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
    #expect(try scene.refusal(Vault.longKey, on: link) == .encryptionKeySizeTooShort)
    _ = try scene.phone.openChannel(Vault.encryptedPSM, on: link)
    #expect(throws: SimulationFailure.self) { try scene.phone.openChannel(Vault.longKeyPSM, on: link) }
    let refused = scene.vault.events.compactMap { event -> CreditBasedResult? in
      if case .channel(_, .peerRefused(Vault.longKeyPSM, let result, _)) = event { result } else { nil }
    }
    #expect(refused == [.encryptionKeySizeTooShort])
    try scene.disconnect(link)
    // The key's length is restored with the bond.
    let again = try scene.connect()
    #expect(try scene.phone.pair(again) == .encrypted)
    #expect(try scene.refusal(Vault.longKey, on: again) == .encryptionKeySizeTooShort)
  }

  @Test("A side that falls silent ends the pairing after 30 s, and the link cannot pair again")
  func silence() throws {
    var silent = PairingPolicy.pairable()
    silent.faults = [.silent(.pairingConfirm)]
    let scene = try VaultScene(silent)
    let link = try scene.connect()
    let begin = scene.simulation.now
    #expect(try scene.phone.pair(link) == .timedOut)
    let waited = scene.simulation.now - begin
    #expect((.seconds(30)...(.seconds(31))).contains(waited))
    scene.simulation.run(for: .seconds(5))
    #expect(VaultScene.security(scene.vault.events).contains(.timedOut))
    #expect(try scene.phone.pair(link) == .timedOut)
    #expect(try scene.refusal(Vault.open, on: link) == nil)
    try scene.disconnect(link)
  }

  @Test(
    "A link lost at any moment of a pairing leaves nothing incomplete, and the next link pairs",
    arguments: [SecureConnectionsSupport.none, .offered])
  func lostLink(generation: SecureConnectionsSupport) throws {
    var isPaired = false
    var moments = 0
    while !isPaired {
      let scene = try VaultScene(.pairable(.noInputNoOutput, generation))
      let link = try scene.connect()
      scene.simulation.run(for: .milliseconds(100))
      try scene.phone.perform(.pair(link))
      scene.simulation.run(for: .milliseconds(15) * moments)
      isPaired = VaultScene.security(scene.vault.events).contains { if case .paired = $0 { true } else { false } }
      moments += 1
      scene.simulation.air.setReachable(scene.vault.controller, scene.phone.controller, false)
      scene.simulation.run(for: .seconds(5))
      #expect(scene.vault.stack.linkStates.isEmpty && scene.phone.links.isEmpty)
      scene.simulation.air.setReachable(scene.vault.controller, scene.phone.controller, true)
      // One side may have all keys while the other lacks the last of them.
      let again = try scene.connect()
      if case .notEncrypted = try scene.phone.pair(again) { try scene.phone.pair(again, anew: true) }
      scene.simulation.run(for: .seconds(1))
      #expect(scene.link?.security.protection == .encrypted, "\(moments)")
      #expect(scene.vault.stack.bonds.count == 1 && scene.phone.stack.bonds.count == 1)
      try scene.disconnect(again)
      #expect(try scene.phone.pair(try scene.connect()) == .encrypted)
    }
    #expect(moments > 10)
  }

  @Test(
    "Packets lost on the air during pairing are retransmitted, in both directions and both generations",
    arguments: [SecureConnectionsSupport.none, .offered], 1...8)
  func lostPackets(generation: SecureConnectionsSupport, seed: Int) throws {
    let scene = try VaultScene(.pairable(.noInputNoOutput, generation), seed: UInt64(seed))
    let (vault, phone) = (scene.vault.controller, scene.phone.controller)
    let link = try scene.connect()
    scene.simulation.run(for: .milliseconds(100))
    var lost = 0
    scene.simulation.air.observer = { packet in
      if packet.linkNumber != nil, packet.receivers == 0 { lost += 1 }
    }
    for (from, to) in [(vault, phone), (phone, vault)] {
      scene.simulation.air.setPacketLoss(from: from, to: to, fraction: 0.3)
    }
    guard case .paired(let bond, bonded: true) = try scene.phone.pair(link) else {
      Issue.record("not paired")
      return
    }
    scene.simulation.run(for: .seconds(2))
    #expect(lost > 5)
    let kept = try #require(scene.vault.stack.bonds.first?.bond)
    #expect(scene.vault.stack.bonds.count == 1 && kept.keyAsPeripheral == bond.keyAsCentral)
    #expect(scene.link?.security.protection == .encrypted)
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
  }

  @Test("A database change during a pairing is stored with the bond, and the client is informed")
  func databaseChange() throws {
    let scene = try VaultScene()
    let link = try scene.connect()
    try scene.phone.discover(on: link)
    let serviceChanged = try #require(
      scene.phone.stack.remoteDatabase(of: link)?.characteristic(.serviceChanged)?.value)
    try scene.phone.configure(serviceChanged, .indication, on: link)
    let first = scene.phone.events.count
    try scene.phone.perform(.pair(link))
    scene.simulation.run(for: .milliseconds(100))
    let service = ServiceDefinition(id: "new", uuid: BluetoothUUID(0xFFE0), characteristics: [])
    try scene.vault.perform(.edit(.add(service)))
    guard case .paired = try scene.phone.pairingOutcome(of: link, from: first) else {
      Issue.record("not paired")
      return
    }
    scene.simulation.run(for: .seconds(1))
    #expect(scene.phone.pushed(of: serviceChanged, on: link).count == 1)
    let kept = try #require(scene.vault.stack.bonds.first?.gatt)
    #expect(kept.unreportedChange == [] && kept.isChangeAware)
    #expect(kept.databaseFingerprint == scene.vault.stack.server.database.fingerprint)
  }

  @Test("Many wrong passkeys in a row get Repeated Attempts, for longer and longer")
  func repeatedAttempts() throws {
    let scene = try VaultScene(
      .pairable(.displayOnly, authenticated: true), phone: .pairable(.keyboardOnly, authenticated: true))
    scene.phone.user = .accepts(passkey: 1_000_000 - 1)
    scene.vault.stack.random = SplitMix64(seed: 1)
    let link = try scene.connect()
    var outcomes: [PairingOutcome] = []
    for _ in 0..<6 { outcomes.append(try scene.phone.pair(link)) }
    // Both sides observe the interval: the phone does not try again earlier either.
    let failed = PairingOutcome.failed(.confirmValueFailed, byPeer: true)
    let blocked = PairingOutcome.failed(.repeatedAttempts, byPeer: false)
    #expect(outcomes == [failed, failed, failed, blocked, blocked, blocked])
    scene.simulation.run(for: .seconds(2))
    #expect(try scene.phone.pair(link) == failed)
  }

  private func fixedPasskey() throws -> VaultScene {
    var policy = PairingPolicy.pairable(.displayOnly, authenticated: true)
    policy.fixedPasskey = 123_456
    return try VaultScene(policy)
  }

  /// Returns a phone under a new address, at a vault with a fixed passkey that it does not know.
  private func stranger(_ number: Int, to scene: VaultScene, user: PairingUser) throws -> ScriptedCentral {
    let policy = PairingPolicy.pairable(.keyboardOnly, authenticated: true)
    var configuration = VaultScene.phone(policy, onAir: .randomStatic(from: 0x2_0000 + UInt64(number)))
    configuration.identityAddress = nil
    let phone = try scene.simulation.addCentral(configuration)
    phone.user = user
    try phone.start()
    return phone
  }

  @Test("Guesses of a fixed passkey have to wait, whatever addresses they come from")
  func fixedPasskeyForAll() throws {
    let scene = try fixedPasskey()
    var outcomes: [PairingOutcome] = []
    for number in 0..<4 {
      let phone = try stranger(number, to: scene, user: .accepts(passkey: 999_999))
      let link = try phone.connect(to: Vault.address)
      outcomes.append(try phone.pair(link))
      try phone.disconnect(link)
      scene.simulation.run(until: { scene.vault.stack.linkStates.isEmpty })
      scene.simulation.remove(phone)
    }
    let failed = PairingOutcome.failed(.confirmValueFailed, byPeer: true)
    #expect(outcomes == [failed, failed, failed, .failed(.repeatedAttempts, byPeer: true)])
  }

  @Test("An aborted pairing with a fixed passkey counts as a guess, too")
  func cutGuesses() throws {
    let scene = try fixedPasskey()
    for number in 0..<4 {
      let phone = try stranger(number, to: scene, user: .nobody)
      let link = try phone.connect(to: Vault.address)
      try phone.perform(.pair(link))
      scene.simulation.run(for: .milliseconds(900))
      try phone.disconnect(link)
      scene.simulation.run(until: { scene.vault.stack.linkStates.isEmpty })
      scene.simulation.remove(phone)
    }
    let events = VaultScene.security(scene.vault.events)
    #expect(events.count { $0 == .cut } == 3)
    #expect(events.contains(.failed(.repeatedAttempts, byPeer: false)))
  }

  @Test("A hundred phones in a row pair, and leave only the bonds of the last 16")
  func hundred() throws {
    let scene = try VaultScene()
    for number in 0..<100 {
      let address = DeviceAddress.randomStatic(from: 0x1_0000 + UInt64(number))
      var configuration = VaultScene.phone(.pairable(), onAir: address)
      configuration.identityAddress = nil
      let phone = try scene.simulation.addCentral(configuration)
      try phone.start()
      let link = try phone.connect(to: Vault.address)
      guard case .paired = try phone.pair(link) else {
        Issue.record("\(number) is not paired")
        return
      }
      try phone.disconnect(link)
      scene.simulation.run(until: { scene.vault.stack.linkStates.isEmpty })
      scene.simulation.remove(phone)
    }
    #expect(scene.vault.stack.bonds.count == 16 && scene.vault.stack.linkStates.isEmpty)
    let load = scene.vault.stack.load
    #expect(load.links == 0 && load.packets == 0 && load.commands == 0)
  }
}
