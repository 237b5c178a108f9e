import BLECore
import BLEGAP
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// The groups GAP/CONN/NCON, GAP/CONN/UCON and GAP/CONN/TERM: connection modes and the end of a connection (Core 5.4 Vol 3
/// Part C 9.3).
@Suite("GAP/CONN/NCON, GAP/CONN/UCON, GAP/CONN/TERM")
struct ConnectionModeTests {
  /// An accessory with these flags that is not connectable is heard, and refuses connections.
  private func refusesConnections(_ flags: AdvertisingFlags?) throws {
    let scene = try GAPScene(isConnectable: false, isScannable: false, flags.map { [.flags($0)] } ?? [])
    let heard = try scene.heard()
    #expect(heard.isAll(.legacy))
    #expect(try heard.flags() == flags)
    #expect(!scene.connects())
    #expect(scene.accessory.stack.linkStates.isEmpty && scene.accessory.stack.activeSets == ["main"])
  }

  @Test("GAP/CONN/NCON/BV-01-C: not connectable")
  func notConnectable() throws { try refusesConnections(nil) }

  @Test("GAP/CONN/NCON/BV-02-C: not connectable, general discoverable")
  func notConnectableGeneral() throws { try refusesConnections([.generalDiscoverable, .bredrNotSupported]) }

  @Test("GAP/CONN/NCON/BV-03-C: not connectable, limited discoverable")
  func notConnectableLimited() throws { try refusesConnections([.limitedDiscoverable, .bredrNotSupported]) }

  /// An accessory with these flags that is connectable accepts a connection, and advertises again when the link has ended.
  private func takesConnections(_ flags: AdvertisingFlags) throws {
    let scene = try GAPScene([.flags(flags)])
    let heard = try scene.heard()
    #expect(heard.isAll(.legacyConnectable))
    #expect(try heard.flags() == flags)
    let found = try #require(heard.advertising.first)
    let link = try scene.phone.connect(to: found.address)
    #expect(scene.accessory.stack.linkStates.count == 1 && scene.accessory.stack.activeSets.isEmpty)
    try scene.phone.disconnect(link)
    #expect(scene.simulation.run(until: { scene.accessory.stack.activeSets == ["main"] }))
    #expect(try scene.heard().isAll(.legacyConnectable))
  }

  @Test("GAP/CONN/UCON/BV-01-C: connectable, not discoverable")
  func connectable() throws { try takesConnections(.bredrNotSupported) }

  @Test("GAP/CONN/UCON/BV-02-C: connectable, general discoverable")
  func connectableGeneral() throws { try takesConnections([.generalDiscoverable, .bredrNotSupported]) }

  @Test("GAP/CONN/UCON/BV-03-C: connectable, limited discoverable")
  func connectableLimited() throws { try takesConnections([.limitedDiscoverable, .bredrNotSupported]) }

  @Test("GAP/CONN/TERM/BV-01-C: the accessory ends the link")
  func terminate() throws {
    let scene = try GAPScene()
    try scene.phone.connect(to: Specimen.address)
    let link = try #require(scene.accessory.stack.linkStates.first?.handle)
    try scene.accessory.perform(.disconnect(link, reason: .remoteUserTerminatedConnection))
    #expect(scene.simulation.run(until: { !scene.phone.ends.isEmpty && scene.accessory.stack.linkStates.isEmpty }))
    #expect(scene.phone.ends == [.remoteUserTerminatedConnection])
    #expect(
      scene.accessory.events.contains {
        if case .disconnected(link, .connectionTerminatedByLocalHost) = $0 { true } else { false }
      })
  }
}
