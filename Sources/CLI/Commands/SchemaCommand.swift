import AccessoryProfile
import ArgumentParser

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON schema of the profile language, for editors.")

  func run() {
    // The schema is a whole file: its last line ends already.
    Terminal.print(TerminalText(lines: ProfileSchema.json.dropLast()))
  }
}
