import Foundation
import Testing
import Understudy

@Suite("The list of events")
struct EventCatalogueTests {
  @Test("Each name stands there once, and no field twice")
  func names() throws {
    let names = EventCatalogue.all.flatMap(\.events).map(\.name)
    #expect(Set(names).count == names.count)
    #expect(EventCatalogue.schema["oneOf"]?.elements.count == names.count)
  }

  @Test("docs/events.md is what is made of it: `understudy schema --events --markdown` writes it anew")
  func document() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    #expect(try String(contentsOf: root.appending(path: "docs/events.md"), encoding: .utf8) == EventCatalogue.markdown)
  }
}
