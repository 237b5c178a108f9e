import AccessoryProfile
import ArgumentParser
import Understudy

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON schema of the profile language, for editors, or that of events.")

  @Flag(help: "Print the schema of events.")
  var events = false

  @Flag(help: "Print all keys as docs/profile-keys.md has them; with --events what docs/events.md has.")
  var markdown = false

  func run() {
    if events, !markdown { return Terminal.print(json: EventCatalogue.schema) }
    let profiles = markdown ? ProfileReference.markdown : ProfileSchema.json
    // All are whole files: their last lines end already.
    Terminal.print(TerminalText(lines: (events ? EventCatalogue.markdown : profiles).dropLast()))
  }
}
