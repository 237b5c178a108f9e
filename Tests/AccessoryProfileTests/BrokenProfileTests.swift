import BLECore
import Glibc
import Testing

@testable import AccessoryProfile

/// Profiles in Tests/BrokenProfiles with one error each, next to the expected diagnostics.
@Suite("Broken profiles")
struct BrokenProfileTests {
  static let folder = "\(FileText.root)/Tests/BrokenProfiles"

  static let names: [String] = {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    let files = sequence(state: directory) { readdir($0) }.map { entry in
      entry.entryName
    }
    return files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
  }()

  @Test(arguments: names)
  func isReportedAsItIsWritten(_ name: String) throws {
    let reported = diagnose(try FileText.read("\(Self.folder)/\(name).yaml"), file: "\(Self.folder)/\(name).yaml")
    let expected = try FileText.read("\(Self.folder)/\(name).txt").split(separator: "\n").map { String($0) }
    #expect(reported.map { $0.replacing(Self.folder, with: "…") } == expected)
  }

  @Test func thereAreManyAndAllAreErrors() throws {
    #expect(Self.names.count >= 200)
    for name in Self.names {
      #expect(try FileText.read("\(Self.folder)/\(name).txt").contains(": error: "), "\(name)")
    }
  }
}
