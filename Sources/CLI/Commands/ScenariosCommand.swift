import AccessoryProfile
import ArgumentParser

struct ScenariosCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "scenarios", abstract: "List the shipped scenarios, or print the text of one.",
    discussion: "The shipped scenarios are built into the program. `understudy test NAME` runs one.")

  @Argument(help: "The scenario to print.")
  var name: String?

  @Flag(help: "Print a JSON array: name, path, title, about, accessory, and the number of cases of each.")
  var json = false

  func run() throws {
    if let name { return try print(name) }
    let list = try ShippedScenarios.list.map { ($0, scenario: try Scenario.load(contentsOf: $0.path)) }
    if json {
      return Terminal.print(
        json: .array(
          list.map { entry, scenario in
            .object([
              "name": .string(entry.name), "path": .string(entry.path), "title": .string(scenario.name),
              "about": .string(scenario.about), "accessory": .string(scenario.profile.name),
              "cases": .int(Int64(scenario.cases.count)),
            ])
          }))
    }
    let width = (list.map(\.0.name.count).max() ?? 0) + 2
    for (entry, scenario) in list {
      let padding = String(repeating: " ", count: width - entry.name.count)
      Terminal.print("\(Terminal.styled(entry.name, .bold))\(padding)\(scenario.about) (\(scenario.cases.count) cases)")
    }
  }

  private func print(_ name: String) throws {
    guard let entry = ShippedScenarios.entry(named: name), let text = ShippedScenarios.text(at: entry.path) else {
      let hint = Spelling.hint(for: name, among: ShippedScenarios.list.map(\.name))
      Terminal.error("there is no shipped scenario \(name)\(hint)")
      throw ExitStatus.noInput
    }
    Terminal.print(TerminalText(lines: text.hasSuffix("\n") ? text.dropLast() : text[...]))
  }
}
