import Foundation
import Testing

@testable import VirtualRadio

@Suite("Tables of deviations")
struct DeviationTableTests {
  private static func markdown(_ table: DeviationTable) -> String {
    let head = """
      #### \(table.presets): \(table.versions)

      | command | the specification says | the controller does | name | source |
      |---|---|---|---|---|

      """
    return head
      + table.rows.map {
        "| \($0.command) | \($0.specification) | \($0.behaviour) | `\($0.name)` | \($0.source) |\n"
      }.joined()
  }

  @Test("docs/radio.md contains them unchanged", arguments: DeviationTable.all.indices)
  func document(index: Int) throws {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../docs/radio.md")
    let text = try String(contentsOf: file, encoding: .utf8)
    let table = Self.markdown(DeviationTable.all[index])
    #expect(text.contains("\n\n" + table + "\n"), "docs/radio.md should have:\n\(table)")
  }

  @Test("every deviation is in a table, and no table has one twice for the same command")
  func complete() {
    let named = DeviationTable.all.reduce(into: Set<ControllerDeviation>()) { $0.formUnion($1.deviations) }
    #expect(named == Set(ControllerDeviation.allCases))
    for table in DeviationTable.all {
      let keys = table.rows.map { $0.name + $0.command }
      #expect(Set(keys).count == keys.count)
      for row in table.rows where row.deviation == nil {
        #expect(["commandBuffers", "fatalCommands"].contains(row.name))
      }
    }
  }

  @Test("the presets have the deviations of their tables, and the plain ones have none")
  func presets() {
    #expect(ControllerConfiguration.zephyrHCIUART.deviations == DeviationTable.zephyr.deviations)
    #expect(
      ControllerConfiguration.zephyrExtended.deviations
        == DeviationTable.zephyr.deviations.union(DeviationTable.zephyrExtended.deviations))
    #expect(ControllerConfiguration.nimble.deviations == DeviationTable.nimble.deviations)
    #expect(ControllerConfiguration.rootcanal.deviations == DeviationTable.rootcanal.deviations)
    for preset in [ControllerConfiguration.full, .largePackets, .v4_0, .v4_2, .v5_0] {
      #expect(preset.deviations.isEmpty && preset.fatalCommands.isEmpty && preset.commandBuffers == nil)
    }
  }
}
