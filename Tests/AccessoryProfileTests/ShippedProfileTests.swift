import AccessoryProfile
import BLEGATT
import Glibc
import Testing

@Suite("Shipped profiles")
struct ShippedProfileTests {
  @Test func areFound() {
    #expect(ShippedProfiles.list.map(\.name).contains("heart-rate"))
    #expect(ShippedProfiles.path(named: "heart-rate")?.hasSuffix("/heart-rate.yaml") == true)
    #expect(ShippedProfiles.path(named: "no-such-profile") == nil)
  }

  /// `scripts/embed-profiles` writes them anew.
  @Test func areTheFilesOfTheRepository() throws {
    for entry in ShippedProfiles.list {
      #expect(try FileText.read("\(FileText.root)/Profiles/\(entry.name).yaml") == ShippedProfiles.text(at: entry.path))
    }
    // None is missing.
    let names = try #require(
      opendir("\(FileText.root)/Profiles").map { directory in
        defer { closedir(directory) }
        return sequence(state: directory) { readdir($0) }.map { entry in
          withUnsafeBytes(of: entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
        }
      })
    #expect(
      ShippedProfiles.list.map(\.name) == names.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    )
  }

  @Test(arguments: ShippedProfiles.list)
  func loadWithoutDiagnostics(_ entry: ShippedProfiles.Entry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    #expect(profile.warnings.map(\.description) == [])
    #expect(ShippedProfiles.path(named: entry.path) == entry.path)
    #expect(profile.behaviors.map(\.id) == profile.services.flatMap(\.characteristics).map(\.id))
  }
}
