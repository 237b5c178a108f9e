import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The group GAP/SEC/SEM over BR/EDR: security mode 4 (Core 5.4 Vol 3 Part C 5.2.2). The channel of the Attribute Protocol needs
/// level 2, and with `requiresAuthentication` level 3; in Secure Connections Only mode it needs level 4.
@Suite("GAP/SEC/SEM over BR/EDR")
struct ClassicSecurityTests {

  /// Creates an accessory that pairs in this way, and connects.
  private func scene(
    _ security: PairingPolicy, on controller: ControllerConfiguration = .dual, isSecure: Bool = true
  ) throws -> ClassicScene {
    let scene = try ClassicScene(
      ClassicScene.configuration(security: security), on: controller, isSecure: isSecure)
    try scene.central.connect()
    return scene
  }

  private func opens(_ scene: ClassicScene) throws -> Bool { try scene.request(.attributeProtocol)?.result == 0 }

  @Test("GAP/SEC/SEM/BV-04-C: in security mode 4 a channel is opened after pairing")
  func mode4() throws {
    let scene = try scene(.pairable(.offered, .displayYesNo))
    try scene.central.secure()
    #expect(try opens(scene))
    #expect(scene.state?.security.protection == .secureConnections)
  }

  @Test(
    "GAP/SEC/SEM/BI-24-C: a channel that is requested without encryption waits until the accessory has authenticated")
  func withoutEncryption() throws {
    let scene = try scene(.pairable(.offered, .displayYesNo))
    scene.central.requirements = .noBonding
    #expect(try opens(scene))
    #expect(scene.central.pairings == [.success] && scene.central.isEncrypted)
  }

  @Test("GAP/SEC/SEM/BI-24-C: it is refused if the central does not pair")
  func withoutPairing() throws {
    let scene = try scene(.pairable { $0.isPairable = false })
    #expect(try scene.request(.attributeProtocol)?.result == 3)
    #expect(scene.central.pairings.allSatisfy { $0 != .success } && !scene.central.isEncrypted)
  }

  @Test(
    """
    GAP/SEC/SEM/BV-11-C, GAP/SEC/SEM/BV-12-C: in Secure Connections Only mode a key of another kind ends the link, whether the \
    central's controller or its host lacks Secure Connections
    """, arguments: [false, true])
  func refusesOldKeys(hasController: Bool) throws {
    let scene = try scene(
      .level4, on: hasController ? .dual : .withoutSecureConnections, isSecure: false)
    _ = try scene.central.authenticate()
    scene.simulation.run(for: .seconds(1))
    #expect(scene.central.ends == [.authenticationFailure])
    #expect(scene.bond == nil)
  }

  @Test(
    "GAP/SEC/SEM/BV-13-C: in Secure Connections Only mode a channel is opened after pairing with Secure Connections")
  func secureConnectionsOnly() throws {
    let scene = try scene(.level4)
    try scene.central.secure()
    #expect(try opens(scene))
    #expect(scene.central.keys.map(\.type) == [.authenticatedP256])
  }

  @Test("GAP/SEC/SEM/BV-14-C: otherwise a channel is opened with an authenticated key of another kind")
  func level3() throws {
    let scene = try scene(.level3, isSecure: false)
    try scene.central.secure()
    #expect(try opens(scene))
    #expect(scene.central.keys.map(\.type) == [.authenticatedP192])
  }

  @Test(
    "GAP/SEC/SEM/BV-47-C, GAP/SEC/SEM/BV-48-C: a bonded central is authenticated with the key of the bond",
    arguments: [true, false])
  func bonded(isSecure: Bool) throws {
    let scene = try scene(isSecure ? .level4 : .level3, isSecure: isSecure)
    try scene.central.secure()
    try scene.reconnect()
    let before = scene.central.keyRequests
    #expect(try opens(scene))
    #expect(scene.central.keyRequests == before + 1 && scene.central.keys.count == 1 && scene.central.isEncrypted)
  }

  @Test(
    "GAP/SEC/SEM/BI-31-C: in Secure Connections Only mode a bonded central that has lost Secure Connections gets no channel"
  )
  func lostSecureConnections() throws {
    let scene = try scene(.level4)
    try scene.central.secure()
    try scene.central.disconnect()
    try scene.central.start(isSecure: false)
    try scene.central.connect()
    #expect(try !opens(scene))
    scene.simulation.run(for: .seconds(1))
    #expect(scene.central.ends.last == .authenticationFailure && scene.bond != nil)
  }

  private func refusesKeys(_ sizes: Range<UInt8>, _ security: PairingPolicy) throws {
    for size in sizes {
      var controller = ControllerConfiguration.dual
      controller.classic?.encryptionKeySize = size
      let scene = try scene(security, on: controller)
      #expect(try scene.central.authenticate() == .success)
      _ = try scene.central.encrypt()
      let isOpen = try scene.central.link != nil && opens(scene)
      #expect(!isOpen, "\(size) octets")
      #expect(scene.state?.security.protection ?? LinkProtection.none == LinkProtection.none, "\(size) octets")
    }
  }

  @Test("GAP/SEC/SEM/BI-02-C: level 2 refuses keys of less than 7 octets")
  func shortKeys() throws { try refusesKeys(1..<7, .pairable()) }

  @Test("GAP/SEC/SEM/BI-03-C: level 3 refuses keys of less than 7 octets")
  func shortAuthenticatedKeys() throws { try refusesKeys(1..<7, .level3) }

  @Test("GAP/SEC/SEM/BI-04-C: level 4 refuses keys of less than 16 octets")
  func shortSecureKeys() throws { try refusesKeys(1..<16, .level4) }

  @Test("GAP/SEC/SEM/BI-15-C: level 2 refuses keys of less than 16 octets, if the accessory says so")
  func wholeKeys() throws { try refusesKeys(1..<16, .pairable { $0.keySizes = 16...16 }) }

  @Test("GAP/SEC/SEM/BI-16-C: level 3 refuses keys of less than 16 octets, if the accessory says so")
  func wholeAuthenticatedKeys() throws {
    var security = PairingPolicy.level3
    security.keySizes = 16...16
    try refusesKeys(1..<16, security)
  }
}
