import AccessoryProfile
import Testing

@testable import AccessoryProfile

@Suite("Documentation")
struct DocumentationTests {
  private static var text: String {
    get throws {
      try FileText.read("\(FileText.root)/docs/profiles.md")
    }
  }

  /// All pages: faults and scenarios have their own.
  private static var pages: String {
    get throws {
      try text + FileText.read("\(FileText.root)/docs/faults.md") + FileText.read("\(FileText.root)/docs/scenarios.md")
    }
  }

  /// The reference names every key of the language.
  @Test(arguments: (Language.tables + Language.scenarioTables).map(\.name))
  func namesEveryKey(_ name: String) throws {
    let text = try Self.pages
    for key in (Language.tables + Language.scenarioTables).first(where: { $0.name == name })?.names ?? [] {
      let isThere = ["`\(key)`", "\(key):", "`\(key) "].contains { text.contains($0) }
      #expect(isThere, "\(key) of \(name)")
    }
  }

  /// Its examples that are complete profiles load.
  @Test func examplesLoad() throws {
    let blocks = try Self.text.split(separator: "```yaml\n").dropFirst().compactMap { $0.split(separator: "```").first }
    let profiles = blocks.filter { $0.contains("understudy: 1") }
    #expect(!profiles.isEmpty)
    for block in profiles { #expect(try Profile.load(text: String(block)).warnings.isEmpty) }
  }
}
