import AccessoryProfile
import ArgumentParser

struct ExplainCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "explain", abstract: "Explain a key of profiles, fleets or scenarios, and list its possible values.")

  @Argument(
    help: ArgumentHelp(
      "A key such as notify, a key of one mapping such as rule.when, a mapping such as rule, a step of scenarios such as expect, a function "
        + "or a name in expressions such as written, or expression.",
      valueName: "key"))
  var key: String

  func run() throws {
    let lines = ProfileReference.explanation(of: key)
    guard !lines.isEmpty else {
      let meant = ProfileReference.nearest(to: key).map { ", did you mean '\($0)'?" } ?? ""
      throw ValidationError("there is no key '\(key)' in profiles, fleets and scenarios\(meant)")
    }
    Terminal.print(TerminalText(lines: lines.joined(separator: "\n")))
  }
}
