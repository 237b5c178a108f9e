import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import PeripheralHost
import Testing
import UnderstudyCore

@testable import Importing

@Suite("Writing profiles")
struct ProfileWriterTests {
  @Test(arguments: ShippedProfiles.list)
  func aShippedProfileKeepsItsDatabase(_ entry: ShippedEntry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    let written = try ProfileWriter.write(ImportedDatabase(profile))
    let database = try profile.hostConfiguration(seed: 1).makeDatabase()
    let again = try written.profile.hostConfiguration(seed: 1).makeDatabase()
    #expect(again.hashInput == database.hashInput, Comment(rawValue: written.text))
    #expect(again.attributes.map(\.type) == database.attributes.map(\.type))
    #expect(written.profile.services.map(\.id) == profile.services.map(\.id))
    #expect(written.profile.behaviors.map(\.id) == profile.behaviors.map(\.id))
    #expect(
      written.profile.services.map { $0.characteristics.map(\.permissions) }
        == profile.services.map { $0.characteristics.map(\.permissions) }, Comment(rawValue: written.text))
  }
}
