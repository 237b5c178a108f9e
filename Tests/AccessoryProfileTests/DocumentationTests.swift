import AccessoryProfile
import Testing

@testable import AccessoryProfile

@Suite("Documentation")
struct DocumentationTests {
  /// The pages that explain the language, by hand.
  private static let topics = [
    "profiles", "dual-mode", "profile-advertising", "profile-channels", "profile-client", "profile-connections",
    "profile-control-points", "profile-formats", "profile-programs", "profile-rules", "profile-security",
    "profile-services", "profile-values", "profile-writes",
  ]

  private static func text(of pages: [String]) throws -> String {
    try pages.map { try FileText.read("\(FileText.root)/docs/\($0).md") }.joined(separator: "\n")
  }

  /// The reference names every key of the language.
  @Test(arguments: (Language.tables + Language.scenarioTables).map(\.name))
  func namesEveryKey(_ name: String) throws {
    let text = try Self.text(of: Self.topics + ["faults", "scenarios"])
    for key in (Language.tables + Language.scenarioTables).first(where: { $0.name == name })?.names ?? [] {
      let isThere = ["`\(key)`", "\(key):", "`\(key) "].contains { text.contains($0) }
      #expect(isThere, "\(key) of \(name)")
    }
  }

  /// Its examples that are complete profiles load.
  @Test func examplesLoad() throws {
    let blocks = try Self.text(of: Self.topics).split(separator: "```yaml\n").dropFirst().compactMap {
      $0.split(separator: "```").first
    }
    let profiles = blocks.filter { $0.contains("understudy: 1") }
    #expect(!profiles.isEmpty)
    for block in profiles { #expect(try Profile.load(text: String(block)).warnings.isEmpty) }
  }
}
