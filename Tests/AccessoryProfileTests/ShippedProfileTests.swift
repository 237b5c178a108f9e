import AccessoryProfile
import BLEGATT
import Testing

@Suite("Shipped profiles")
struct ShippedProfileTests {
  @Test func areFound() {
    #expect(ShippedProfiles.list.map(\.name).contains("heart-rate"))
    #expect(ShippedProfiles.path(named: "heart-rate")?.hasSuffix("/heart-rate.yaml") == true)
    #expect(ShippedProfiles.path(named: "no-such-profile") == nil)
  }

  @Test(arguments: ShippedProfiles.list)
  func loadWithoutDiagnostics(_ entry: ShippedProfiles.Entry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    #expect(profile.warnings.map(\.description) == [])
    #expect(ShippedProfiles.path(named: entry.path) == entry.path)
    #expect(profile.behaviors.map(\.id) == profile.services.flatMap(\.characteristics).map(\.id))
  }
}
