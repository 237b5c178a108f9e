import AccessoryProfile
import Testing

@testable import AccessoryProfile

@Suite("Schema")
struct SchemaTests {
  /// The file that editors use is the schema that follows from the loader's tables: run the program's `schema` command
  /// to write it anew.
  @Test func fileIsInStep() throws {
    let file = FileReading.text(at: "\(FileText.root)/Sources/AccessoryProfile/Resources/profile.schema.json")
    #expect(try file.get() == ProfileSchema.json)
  }

  @Test func everyTableIsThereOnceAndReferencesResolve() {
    let names = Language.tables.map(\.name)
    #expect(Set(names).count == names.count)
    for table in Language.tables {
      #expect(Set(table.names).count == table.names.count)
      for key in table.keys { #expect(references(key.type).allSatisfy { names.contains($0) }) }
    }
  }

  private func references(_ type: ValueType) -> [String] {
    switch type {
    case .mapping(let name): [name]
    case .list(let inner), .dictionary(let inner): references(inner)
    case .choice(let choices): choices.flatMap(references)
    default: []
    }
  }
}
