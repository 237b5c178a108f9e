import AccessoryProfile
import ArgumentParser
import ControlAPI
import Understudy

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema",
    abstract: "Print the JSON schema of profiles, scenarios, fleets, events, or the control API.")

  @Flag(help: "Print the schema of scenarios.")
  var scenarios = false

  @Flag(help: "Print the schema of fleets.")
  var fleets = false

  @Flag(help: "Print the schema of events.")
  var events = false

  @Flag(name: .customLong("openapi"), help: "Print the control API as OpenAPI 3.1.")
  var isOpenAPI = false

  @Flag(
    help: """
      Print all keys as Markdown, for docs/profile-keys.md; with --events, the events, for docs/events.md; with --openapi, the \
      requests, for docs/http.md.
      """)
  var markdown = false

  func validate() throws {
    guard [scenarios, fleets, events, isOpenAPI].count(where: { $0 }) <= 1 else {
      throw ValidationError("--scenarios, --fleets, --events and --openapi cannot be combined")
    }
    guard !(scenarios || fleets) || !markdown else {
      throw ValidationError("--markdown does not apply to --scenarios and --fleets")
    }
  }

  func run() {
    if isOpenAPI, !markdown { return Terminal.print(json: OpenAPIDocument.json) }
    if events, !markdown { return Terminal.print(json: EventCatalogue.schema) }
    let schema = scenarios ? ProfileSchema.scenario : fleets ? .fleet : .profile
    let profiles = markdown ? ProfileReference.markdown : schema.json
    let text = events ? EventCatalogue.markdown : isOpenAPI ? RouteReference.markdown : profiles
    // All of these are whole files, whose last line already has an end.
    Terminal.print(TerminalText(lines: text.dropLast()))
  }
}
