import AccessoryProfile
import ArgumentParser
import Understudy

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON schema of the profile language, for editors, or that of events.")

  @Flag(help: "Print the schema of events.")
  var events = false

  @Flag(help: "With --events: print what docs/events.md has.")
  var markdown = false

  func validate() throws {
    guard events || !markdown else { throw ValidationError("--markdown needs --events") }
  }

  func run() {
    if events, !markdown { return Terminal.print(json: EventCatalogue.schema) }
    // Both are whole files: their last lines end already.
    Terminal.print(TerminalText(lines: (events ? EventCatalogue.markdown : ProfileSchema.json).dropLast()))
  }
}
