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

  @Test("An accessory that bonds reports changes", arguments: [("just-works", true), ("none", false)])
  func absence(pairing: String, isWarnedOf: Bool) {
    let said = diagnose(
      "understudy: 1\nname: Test\nsecurity: { pairing: \(pairing) }\ngatt: { service-changed: absent }\n")
    #expect(said.count == (isWarnedOf ? 1 : 0), "\(said)")
    #expect(!isWarnedOf || said[0].hasPrefix("4:26: warning: bonded clients may cache the services permanently"))
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
