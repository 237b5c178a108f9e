import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLELink
import BLESMP
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// Which side requests security, and when (Core 5.4 Vol 3 Part H 2.4.6, Part C 10.3.2).
@Suite("Requesting security")
struct RaisingSecurityTests {
  private func securityRequests(_ scene: VaultScene) -> Int {
    VaultScene.security(scene.phone.events).count { if case .requested = $0 { true } else { false } }
  }

  @Test("An accessory sends no Security Request by itself, even after refusals, and sends one on request")
  func never() throws {
    let scene = try VaultScene()
    let link = try scene.connect()
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientAuthentication)
    scene.simulation.run(for: .seconds(10))
    #expect(securityRequests(scene) == 0 && scene.link?.security == .open)
    let first = scene.phone.events.count
    try scene.vault.perform(.pair(try #require(scene.link).handle))
    guard case .paired = try scene.phone.pairingOutcome(of: link, from: first) else {
      Issue.record("not paired")
      return
    }
    #expect(securityRequests(scene) == 1)
    // Existing security is not requested again.
    try scene.vault.perform(.pair(try #require(scene.link).handle))
    scene.simulation.run(for: .seconds(1))
    #expect(securityRequests(scene) == 1)
  }

  @Test("With a request on connection, the phone pairs once, and afterwards encrypts")
  func onConnection() throws {
    let scene = try VaultScene(requests: .onConnection)
    var first = scene.phone.events.count
    let link = try scene.connect()
    guard case .paired = try scene.phone.pairingOutcome(of: link, from: first) else {
      Issue.record("not paired")
      return
    }
    try scene.disconnect(link)
    first = scene.phone.events.count
    #expect(try scene.phone.pairingOutcome(of: try scene.connect(), from: first) == .encrypted)
    #expect(securityRequests(scene) == 2)
  }

  @Test("With a request after a refusal, the accessory requests once for many refusals")
  func afterRefusal() throws {
    let scene = try VaultScene(requests: .afterRefusal)
    let link = try scene.connect()
    scene.simulation.run(for: .seconds(1))
    #expect(securityRequests(scene) == 0)
    let first = scene.phone.events.count
    for _ in 0..<3 { #expect(try scene.refusal(Vault.encrypted, on: link) != nil) }
    guard case .paired = try scene.phone.pairingOutcome(of: link, from: first) else {
      Issue.record("not paired")
      return
    }
    #expect(securityRequests(scene) == 1)
    #expect(try scene.refusal(Vault.encrypted, on: link) == nil)
  }

  @Test("A phone pairs after a refusal, and gets the value; with a bond it encrypts first")
  func phonePairs() throws {
    let scene = try VaultScene(phoneRequests: .afterRefusal)
    let link = try scene.connect()
    #expect(try scene.phone.read(scene.handle(Vault.encrypted), on: link) == [0xF2])
    #expect(scene.phone.stack.bonds.count == 1)
    try scene.disconnect(link)
    let again = try scene.connect()
    try scene.phone.write([9], to: scene.handle(Vault.encrypted), on: again)
    #expect(try scene.phone.read(scene.handle(Vault.encrypted), on: again) == [9])
    let paired = VaultScene.security(scene.phone.events).count { if case .paired = $0 { true } else { false } }
    #expect(paired == 1)
  }

  @Test("A phone with an insufficient key pairs again, with protection against a man in the middle")
  func betterKey() throws {
    let scene = try VaultScene(.pairable(.displayYesNo), phone: .pairable(.displayYesNo), phoneRequests: .afterRefusal)
    let link = try scene.connect()
    #expect(try scene.phone.read(scene.handle(Vault.encrypted), on: link) == [0xF2])
    #expect(scene.link?.security.protection == .encrypted)
    #expect(try scene.phone.read(scene.handle(Vault.authenticated), on: link) == [0xF3])
    #expect(scene.link?.security.protection == .secureConnections)
  }

  @Test("If no pairing can give access, the phone gives up")
  func hopeless() throws {
    let scene = try VaultScene(phoneRequests: .afterRefusal)
    let link = try scene.connect()
    #expect(try scene.refusal(Vault.authenticated, on: link) == .insufficientAuthentication)
    #expect(scene.phone.stack.pendingOperations(of: link) == 0)
    #expect(try scene.refusal(Vault.open, on: link) == nil)
  }

  @Test("A phone that does not pair leaves the refusal as it is")
  func unwilling() throws {
    let scene = try VaultScene(phone: PairingPolicy(), phoneRequests: .afterRefusal)
    let link = try scene.connect()
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientAuthentication)
  }

  @Test("A refused operation that waits for security ends with its refusal if there is none")
  func nobodyAnswers() throws {
    let keyboard = PairingPolicy.pairable(.keyboardOnly, authenticated: true)
    let scene = try VaultScene(
      .pairable(.displayOnly, authenticated: true), phone: keyboard, phoneRequests: .afterRefusal)
    scene.phone.user = .nobody
    let link = try scene.connect()
    #expect(try scene.refusal(Vault.encrypted, on: link) == .insufficientAuthentication)
    #expect(VaultScene.security(scene.phone.events).contains(.timedOut))
    #expect(try scene.refusal(Vault.open, on: link) == nil)
  }

  @Test("An accessory that uses an encrypted value of the phone requests security, and gets the value")
  func accessoryAsClient() throws {
    let simulation = RadioSimulation(seed: 1)
    let vault = try simulation.addAccessory(
      Vault.configuration(.pairable(), requests: .afterRefusal), application: CountingApplication())
    var configuration = VaultScene.phone(.pairable())
    configuration.services = [Vault.service]
    let phone = try simulation.addCentral(configuration)
    try vault.start()
    try phone.start()
    try phone.connect(to: Vault.address)
    let handle = phone.stack.server.database[Vault.encrypted].value
    let link = try #require(vault.stack.linkStates.first).handle
    #expect(try vault.perform(.read(handle), on: link) == .value([0xF2]))
    #expect(vault.stack.bonds.count == 1 && phone.stack.bonds.count == 1)
  }
}
