import BLECore
import BLECryptography
import BLEGAP
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Testing

/// The groups GAP/BROB/BCST and GAP/DISC: broadcast mode and the discovery modes (Core 5.4 Vol 3 Part C 9.1, 9.2) of an accessory
/// without BR/EDR, as its flags state.
@Suite("GAP/BROB/BCST, GAP/DISC")
struct DiscoveryModeTests {
  private static let data = AdvertisingStructure.serviceData(
    BluetoothUUID(0x180F), width: .bits16, data: [99])
  private static let response = AdvertisingStructure.localName(Specimen.name, isComplete: true)
  /// The longest time in the limited discoverable mode (Core 5.4 Vol 3 Part C Appendix A, TGAP(lim_adv_timeout)).
  private static let limitedTimeout = Duration.seconds(180)

  // MARK: Broadcast mode

  @Test("GAP/BROB/BCST/BV-01-C: a broadcast without a scan response")
  func broadcast() throws {
    let scene = try GAPScene(isConnectable: false, isScannable: false, [Self.data])
    let passive = try scene.heard(isActive: false)
    #expect(passive.isAll(.legacy))
    #expect(passive.advertising.allSatisfy { $0.data.structures == [Self.data] })
    #expect(try passive.flags() == nil)
    #expect(try scene.heard().responses.isEmpty)
  }

  @Test("GAP/BROB/BCST/BV-02-C: a broadcast with a scan response")
  func scannableBroadcast() throws {
    let scene = try GAPScene(isConnectable: false, [Self.data], scanResponse: [Self.response])
    let heard = try scene.heard()
    #expect(heard.isAll(.legacyScannable))
    #expect(heard.advertising.allSatisfy { $0.data.structures == [Self.data] })
    #expect(!heard.responses.isEmpty && heard.responses.allSatisfy { $0.data.structures == [Self.response] })
    #expect(try heard.flags() == nil)
  }

  /// Core 5.4 Vol 3 Part C 10.7.3: a broadcaster's address may be resolvable.
  @Test("GAP/BROB/BCST/BV-03-C: a broadcast under a resolvable private address")
  func privateBroadcast() throws {
    var configuration = Specimen.configuration(
      advertising: AdvertisingSetDefinition(
        id: "main", isConnectable: false, isScannable: false, data: try AdvertisingData([Self.data]).encoded(limit: 31))
    )
    configuration.privacy = PrivacyPolicy(isPrivate: true)
    configuration.identityResolvingKey = (1...16).map { $0 }
    let scene = try GAPScene(configuration)
    let heard = try scene.phone.scan(for: .seconds(2))
    let key = try #require(IdentityResolvingKey((1...16).map { $0 }))
    #expect(!heard.isEmpty && heard.allSatisfy { $0.kind == .legacy && key.resolves($0.address) })
    #expect(heard.allSatisfy { $0.data.structures == [Self.data] })
    #expect(Set(heard.map(\.address)).count == 1)
  }

  // MARK: Discovery modes

  /// Scans for an accessory with these flags and a scan response, connectable or not, and returns the received flags.
  private func flags(_ flags: AdvertisingFlags, isConnectable: Bool) throws -> AdvertisingFlags? {
    let scene = try GAPScene(isConnectable: isConnectable, [.flags(flags)], scanResponse: [Self.response])
    let heard = try scene.heard()
    #expect(heard.isAll(isConnectable ? .legacyConnectable : .legacyScannable) && !heard.responses.isEmpty)
    return try heard.flags()
  }

  @Test("GAP/DISC/NONM/BV-01-C: not discoverable, not connectable")
  func hidden() throws {
    let heard = try #require(try flags(.bredrNotSupported, isConnectable: false))
    #expect(heard.isDisjoint(with: [.generalDiscoverable, .limitedDiscoverable]))
  }

  @Test("GAP/DISC/NONM/BV-02-C: not discoverable, connectable")
  func hiddenConnectable() throws {
    let heard = try #require(try flags(.bredrNotSupported, isConnectable: true))
    #expect(heard.isDisjoint(with: [.generalDiscoverable, .limitedDiscoverable]))
  }

  @Test("GAP/DISC/GENM/BV-01-C: general discoverable, not connectable")
  func general() throws {
    let flags = try flags([.generalDiscoverable, .bredrNotSupported], isConnectable: false)
    #expect(flags == [.generalDiscoverable, .bredrNotSupported])
  }

  @Test("GAP/DISC/GENM/BV-02-C: general discoverable, connectable")
  func generalConnectable() throws {
    let flags = try flags([.generalDiscoverable, .bredrNotSupported], isConnectable: true)
    #expect(flags == [.generalDiscoverable, .bredrNotSupported])
  }

  /// An accessory in the limited discoverable mode is heard with that flag until the time is up, and no longer.
  private func limited(isConnectable: Bool) throws {
    let flags: AdvertisingFlags = [.limitedDiscoverable, .bredrNotSupported]
    let scene = try GAPScene(
      isConnectable: isConnectable, [.flags(flags)], scanResponse: [Self.response], for: Self.limitedTimeout)
    let heard = try scene.heard()
    #expect(heard.isAll(isConnectable ? .legacyConnectable : .legacyScannable))
    #expect(try heard.flags() == flags)
    scene.simulation.run(for: Self.limitedTimeout - .seconds(10))
    #expect(try scene.heard().flags() == flags)
    scene.simulation.run(for: .seconds(10))
    let late = try scene.heard()
    #expect(late.advertising.isEmpty && late.responses.isEmpty)
  }

  @Test("GAP/DISC/LIMM/BV-01-C: limited discoverable for 180 s, not connectable")
  func limitedBroadcast() throws { try limited(isConnectable: false) }

  @Test("GAP/DISC/LIMM/BV-02-C: limited discoverable for 180 s, connectable")
  func limitedConnectable() throws { try limited(isConnectable: true) }
}
