import BLECore
import BLEGAP
import BLEHCI
import BLELink
import BLESMP
import PeripheralHost
import Simulation
import Testing

/// The group GAP/MOD: discoverable, connectable and bondable modes over BR/EDR (Core 5.4 Vol 3 Part C 4).
@Suite("GAP/MOD over BR/EDR")
struct ClassicModeTests {
  /// The bit of limited discoverable mode in a class of device.
  private static let limitedBit: UInt32 = 1 << 13

  private func scene(
    _ discoverability: ClassicSettings.Discoverability, isConnectable: Bool = true
  ) throws -> ClassicScene {
    var settings = ClassicScene.settings
    (settings.discoverability, settings.isConnectable) = (discoverability, isConnectable)
    return try ClassicScene(ClassicScene.configuration(settings))
  }

  @Test("GAP/MOD/NDIS/BV-01-C: an accessory that is not discoverable answers no inquiry")
  func notDiscoverable() throws {
    let scene = try scene(.none)
    #expect(try scene.central.inquire() == nil)
    #expect(try scene.central.inquire(.limited) == nil)
  }

  @Test(
    "GAP/MOD/LDIS/BV-01-C, GAP/MOD/LDIS/BV-02-C: in limited discoverable mode it answers both inquiries, and its class says so",
    arguments: [InquiryAccessCode.limited, .general])
  func limited(_ accessCode: InquiryAccessCode) throws {
    let scene = try scene(.limited(.seconds(60)))
    let response = try #require(try scene.central.inquire(accessCode))
    #expect(response.classOfDevice.rawValue == ClassicScene.settings.classOfDevice | Self.limitedBit)
  }

  @Test("GAP/MOD/LDIS/BV-03-C: limited discoverable mode ends after its time")
  func limitedTime() throws {
    let scene = try scene(.limited(.seconds(60)))
    #expect(try scene.central.inquire(.limited) != nil)
    scene.simulation.run(for: .seconds(60))
    #expect(try scene.central.inquire(.limited) == nil)
  }

  @Test("GAP/MOD/GDIS/BV-01-C: in general discoverable mode it answers general inquiries")
  func general() throws {
    let scene = try scene(.general)
    let response = try #require(try scene.central.inquire())
    #expect(response.classOfDevice.rawValue == ClassicScene.settings.classOfDevice)
  }

  @Test("GAP/MOD/GDIS/BV-02-C: in general discoverable mode it answers no limited inquiry")
  func generalToLimited() throws { #expect(try scene(.general).central.inquire(.limited) == nil) }

  @Test("GAP/MOD/NCON/BV-01-C: an accessory that is not connectable answers no page, although it is found")
  func notConnectable() throws {
    let scene = try scene(.general, isConnectable: false)
    #expect(try scene.central.inquire() != nil)
    #expect(try scene.central.page() == .pageTimeout)
    #expect(scene.accessory.stack.linkStates.isEmpty)
  }

  @Test("GAP/MOD/CON/BV-01-C: a connectable accessory answers pages, although it is not found")
  func connectable() throws {
    let scene = try scene(.none)
    #expect(try scene.central.page() == .success)
    #expect(scene.state != nil)
  }

  private func pair(_ requirements: AuthenticationRequirements) throws -> (ClassicScene, ErrorCode) {
    let scene = try ClassicScene.connected(
      ClassicScene.configuration(security: .pairable(.offered, .displayYesNo) { $0.bonds = false }))
    scene.central.requirements = requirements
    return (scene, try scene.central.authenticate())
  }

  @Test(
    "GAP/MOD/NBON/BV-02-C: an accessory that is not bondable refuses a pairing that asks for a bond",
    arguments: [
      AuthenticationRequirements.dedicatedBonding, .dedicatedBondingMITM, .generalBonding, .generalBondingMITM,
    ])
  func refusesBonding(_ requirements: AuthenticationRequirements) throws {
    let (scene, result) = try pair(requirements)
    #expect(result != .success)
    #expect(scene.central.pairings == [.pairingNotAllowed] || scene.central.pairings == [.authenticationFailure])
    #expect(scene.central.keys.isEmpty && scene.bond == nil)
  }

  @Test("GAP/MOD/NBON/BV-03-C: an accessory that is not bondable pairs if nobody asks for a bond")
  func pairsWithoutBonding() throws {
    let (scene, result) = try pair(.noBonding)
    #expect(result == .success)
    #expect(scene.central.pairings == [.success] && scene.central.peers.map(\.requirements.bonds) == [false])
    #expect(try scene.central.encrypt() == .success)
    #expect(scene.bond == nil)
  }
}
