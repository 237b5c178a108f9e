import BLEGATT
import Testing

@testable import AccessoryProfile

@Suite("The key gatt")
struct GATTLoadingTests {
  private func policy(_ text: String) throws -> GATTPolicy {
    try Profile.load(text: "understudy: 1\nname: Test\n" + text).gatt
  }

  @Test("Without the key the accessory neither bonds nor changes")
  func defaults() throws { #expect(try policy("") == GATTPolicy()) }

  @Test("Service Changed", arguments: GATTPolicy.ServiceChangedMode.allCases)
  func serviceChanged(mode: GATTPolicy.ServiceChangedMode) throws {
    #expect(try policy("gatt: { service-changed: \(mode.rawValue) }\n") == GATTPolicy(serviceChanged: mode))
  }

  @Test("Robust caching and the order of services")
  func others() throws {
    #expect(
      try policy("gatt: { robust-caching: true, order: as-declared, eatt: 3 }\n")
        == GATTPolicy(hasRobustCaching: true, enhancedBearers: 3, groupsByUUIDSize: false))
    #expect(
      try policy("gatt: { eatt: 2, opens-eatt: true }\n") == GATTPolicy(enhancedBearers: 2, opensEnhancedBearers: true))
    #expect(try policy("gatt: { robust-caching: false, order: by-uuid-size }\n") == GATTPolicy())
  }
}
