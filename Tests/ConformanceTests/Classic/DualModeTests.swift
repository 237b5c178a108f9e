import BLECore
import BLEGAP
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing
import VirtualRadio

/// The group GAP/DM: a device of both transports is found and connected to over each (Core 5.4 Vol 3 Part C 13).
@Suite("GAP/DM")
struct DualModeTests {
  /// LE Supported (Controller), on page 0 of the LMP features.
  private static let leController: UInt64 = 1 << 38
  /// LE Supported (Host), on page 1.
  private static let leHost: UInt64 = 1 << 1

  /// Returns what a central of LE hears of the accessory.
  private func heard(_ scene: ClassicScene) throws -> [Advertisement] {
    let phone = try scene.simulation.addCentral()
    try phone.start()
    let address = try #require(
      scene.simulation.air.configuration(of: scene.accessory.controller)?.publicAddress)
    return try phone.scan(for: .seconds(2), ScanRequest(isActive: true, filter: ScanFilter(address: address)))
  }

  /// The accessory advertises over LE as connectable, general discoverable, and with BR/EDR.
  private func isFound(_ scene: ClassicScene) throws {
    #expect(try scene.central.inquire() != nil)
    let all = try heard(scene)
    let advertising = all.filter { !$0.isScanResponse }
    #expect(!advertising.isEmpty)
    for advertisement in advertising {
      #expect(advertisement.kind == .legacyConnectable && advertisement.addressType == .publicDevice)
      #expect(advertisement.data.structures.filter { $0.type == .flags } == [.flags(.generalDiscoverable)])
    }
    #expect(!all.contains { $0.isScanResponse && $0.data.structures.contains { $0.type == .flags } })
  }

  /// The accessory's LMP features say that controller and host have LE.
  private func saysLowEnergy(_ scene: ClassicScene) throws {
    #expect(try scene.central.readFeatures(page: 0) & Self.leController != 0)
    #expect(try scene.central.readFeatures(page: 1) & Self.leHost != 0)
  }

  @Test("GAP/DM/NCON/BV-01-C: an accessory can be not connectable over both transports")
  func notConnectable() throws {
    var settings = ClassicScene.settings
    settings.isConnectable = false
    let scene = try ClassicScene(
      ClassicScene.configuration(settings) { $0.advertising[0].isConnectable = false })
    #expect(try scene.central.page() == .pageTimeout)
    let heard = try heard(scene)
    #expect(!heard.isEmpty && heard.allSatisfy { !$0.kind.contains(.connectable) })
    #expect(scene.accessory.stack.linkStates.isEmpty)
  }

  @Test("GAP/DM/CON/BV-01-C: a connectable accessory answers pages")
  func connectable() throws {
    let scene = try ClassicScene.connected()
    #expect(scene.state?.details.transport == .classic)
  }

  @Test("GAP/DM/LEP/BV-01-C: found over both transports, connected over BR/EDR")
  func classic() throws {
    let scene = try ClassicScene()
    try isFound(scene)
    try scene.central.connect()
    try saysLowEnergy(scene)
    try scene.central.disconnect()
    #expect(scene.accessory.stack.linkStates.isEmpty)
  }

  @Test("GAP/DM/LEP/BV-07-C: found over both transports, connected over LE")
  func lowEnergy() throws {
    let scene = try ClassicScene.connected()
    try saysLowEnergy(scene)
    try scene.central.disconnect()
    try isFound(scene)
    try scene.central.connectLowEnergy()
    #expect(scene.accessory.stack.linkStates.map(\.details.transport) == [.le])
    try scene.central.disconnect(scene.central.lowEnergyLink)
    #expect(scene.accessory.stack.linkStates.isEmpty)
  }

  @Test("GAP/DM/LEP/BV-08-C: found and connected over both transports at once")
  func both() throws {
    let scene = try ClassicScene()
    try isFound(scene)
    try scene.central.connectLowEnergy()
    try scene.central.connect()
    try saysLowEnergy(scene)
    #expect(scene.accessory.stack.linkStates.map(\.details.transport) == [.le, .classic])
    #expect(Set(scene.accessory.stack.linkStates.map(\.details.peer)).count == 1)
    try scene.central.disconnect()
    try scene.central.disconnect(scene.central.lowEnergyLink)
    #expect(scene.accessory.stack.linkStates.isEmpty)
  }
}
