import BLECore
import Glibc
import Testing

@testable import AccessoryProfile

/// A profile with mistakes, and the diagnostics about it.
struct BrokenProfile: Sendable, CustomTestStringConvertible {
  var name: String
  var text: String
  var diagnostics: [String]

  var testDescription: String { name }

  /// The profiles in Tests/BrokenProfiles. A file has one topic; a profile begins with a line `== NAME`, and its diagnostics follow `--`.
  static let all: [BrokenProfile] = {
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    let files = sequence(state: directory) { readdir($0) }.map { $0.entryName }
    return files.filter { $0.hasSuffix(".txt") }.sorted().flatMap { name in
      profiles(in: (try? FileText.read("\(folder)/\(name)")) ?? "")
    }
  }()

  static let folder = "\(FileText.root)/Tests/BrokenProfiles"

  private static func profiles(in table: String) -> [BrokenProfile] {
    var profiles: [BrokenProfile] = []
    var isDiagnostic = false
    for line in table.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("== ") {
        profiles.append(BrokenProfile(name: String(line.dropFirst(3)), text: "", diagnostics: []))
        isDiagnostic = false
      } else if line == "--" {
        isDiagnostic = true
      } else if !isDiagnostic {
        profiles[profiles.count - 1].text += line + "\n"
      } else if !line.isEmpty {
        profiles[profiles.count - 1].diagnostics.append(String(line))
      }
    }
    return profiles
  }
}

@Suite("Broken profiles")
struct BrokenProfileTests {
  @Test(arguments: BrokenProfile.all)
  func isReportedAsItIsWritten(_ profile: BrokenProfile) throws {
    let reported = diagnose(profile.text, file: "\(BrokenProfile.folder)/\(profile.name).yaml")
    #expect(reported.map { $0.replacing(BrokenProfile.folder, with: "…") } == profile.diagnostics)
  }

  @Test func thereAreManyAndAllAreErrors() throws {
    #expect(BrokenProfile.all.count >= 330)
    for profile in BrokenProfile.all {
      #expect(profile.diagnostics.contains { $0.contains(": error: ") }, "\(profile.name)")
    }
  }
}
