import AccessoryProfile
import BLECore
import BLEGATT
import Foundation
import Glibc
import Testing

@Suite("Shipped profiles")
struct ShippedProfileTests {
  @Test func areFound() {
    #expect(ShippedProfiles.list.map(\.name).contains("heart-rate"))
    #expect(ShippedProfiles.path(named: "heart-rate")?.hasSuffix("/heart-rate.yaml") == true)
    #expect(ShippedProfiles.path(named: "no-such-profile") == nil)
  }

  /// `make generate` updates their list.
  @Test func areTheFilesOfTheRepository() throws {
    for entry in ShippedProfiles.list {
      #expect(try FileText.read("\(FileText.root)/Profiles/\(entry.name).yaml") == ShippedProfiles.text(at: entry.path))
    }
    // None is missing.
    let names = try #require(
      opendir("\(FileText.root)/Profiles").map { directory in
        defer { closedir(directory) }
        return sequence(state: directory) { readdir($0) }.map { entry in
          entry.entryName
        }
      })
    #expect(
      ShippedProfiles.list.map(\.name) == names.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    )
  }

  @Test(arguments: ShippedProfiles.list)
  func loadWithoutDiagnostics(_ entry: ShippedEntry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    #expect(profile.warnings.map(\.description) == [])
    #expect(ShippedProfiles.path(named: entry.path) == entry.path)
    #expect(profile.behaviors.map(\.id) == profile.services.flatMap(\.characteristics).map(\.id))
  }
}

@Suite("Shipped scenarios")
struct ShippedScenarioTests {
  private static let folder = "\(FileText.root)/Scenarios"

  /// `make generate` updates their list.
  @Test func areTheFilesOfTheRepository() throws {
    let names = try FileManager.default.contentsOfDirectory(atPath: Self.folder).filter { $0.hasSuffix(".yaml") }
    #expect(ShippedScenarios.list.map { "\($0.name).yaml" } == names.sorted())
    for entry in ShippedScenarios.list {
      #expect(try FileText.read("\(Self.folder)/\(entry.name).yaml") == ShippedScenarios.text(at: entry.path))
    }
  }

  @Test(arguments: ShippedScenarios.list)
  func loadInsideTheProgramAsFromTheirFiles(_ entry: ShippedEntry) throws {
    let inside = try Scenario.load(contentsOf: entry.path)
    let file = try Scenario.load(contentsOf: "\(Self.folder)/\(entry.name).yaml")
    #expect(inside.warnings.isEmpty && !inside.about.isEmpty)
    #expect(inside.cases.map(\.name) == file.cases.map(\.name))
    #expect(inside.profile.services == file.profile.services)
  }

  @Test func otherPathsHaveNoText() {
    for path in ["understudy:/scenarios/none.yaml", "understudy:/faults.yaml", "faults", "./accessories/bench.yaml"] {
      #expect(ShippedScenarios.text(at: path) == nil)
    }
    #expect(ShippedScenarios.text(at: "understudy:/scenarios/./accessories/bench.yaml") != nil)
  }
}
