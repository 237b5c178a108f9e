import AccessoryProfile
import BLECore
import BLEGATT
import PeripheralHost
import Testing
import UnderstudyCore

@testable import Importing

@Suite("Exports")
struct ExportTests {
  /// Returns the parts of a profile's database that a format can express.
  private static func database(_ profile: Profile) throws -> AttributeDatabase {
    try profile.hostConfiguration(seed: 1).makeDatabase()
  }

  private static func imported(_ file: ExportedFile, _ format: ExportFormat) throws -> Profile {
    let source = ImportSource(name: "exported", text: file.text)
    let result = try ProfileImport.read(source)
    #expect(result.format == format.name)
    return result.written.profile
  }

  /// The profiles that BTstack cannot express: with descriptors for which it has no word, or with a service that includes a later one.
  private static let lossy = [
    "environmental-sensing", "health-thermometer", "hid-keyboard", "hid-mouse", "thermostat", "weight-scale",
  ]

  /// BTstack can express everything in a database but some descriptors.
  @Test(arguments: ShippedProfiles.list)
  func btstackKeepsTheDatabase(_ entry: ShippedEntry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    let format = try #require(ExportFormat.named("btstack"))
    let file = format.export(profile)
    let again = try Self.imported(file, format)
    let isSame = try Self.database(again).hashInput == Self.database(profile).hashInput
    #expect(isSame == !Self.lossy.contains(entry.name), Comment(rawValue: file.text))
    try Self.expectSameCharacteristics(again, profile)
  }

  /// Bumble's configuration has neither included nor secondary services, and no values.
  @Test(arguments: ShippedProfiles.list)
  func bumbleKeepsTheCharacteristics(_ entry: ShippedEntry) throws {
    let profile = try Profile.load(contentsOf: entry.path)
    let format = try #require(ExportFormat.named("bumble"))
    let file = format.export(profile)
    try Self.expectSameCharacteristics(try Self.imported(file, format), profile)
  }

  /// Compares UUIDs and properties in the order of the handles.
  private static func expectSameCharacteristics(_ again: Profile, _ profile: Profile) throws {
    let lines = try [again, profile].map { profile in
      let database = try database(profile)
      return database.services.filter { ![0x1800, 0x1801].contains($0.uuid.short) }.flatMap { service in
        ["\(service.uuid)"]
          + database.attributes.filter { service.handles.contains($0.handle) && $0.type == .characteristic }
          .map { "\($0.value.prefix(1).hexadecimal) \($0.value.dropFirst(3).hexadecimal)" }
      }
    }
    #expect(lines[0] == lines[1])
  }

  @Test func remarksNameWhatIsLost() throws {
    let profile = try Profile.load("smart-lock")
    let remarks = try #require(ExportFormat.named("bumble")).export(profile).remarks
    #expect(remarks.contains { $0.contains("rules") })
    #expect(remarks.contains { $0.contains("values") })
  }

  @Test func bumbleIsJSON() throws {
    for entry in ShippedProfiles.list {
      let text = try #require(ExportFormat.named("bumble")).export(try Profile.load(contentsOf: entry.path)).text
      #expect(throws: Never.self) { try ProfileValue(json: Array(text.utf8)) }
    }
  }
}
