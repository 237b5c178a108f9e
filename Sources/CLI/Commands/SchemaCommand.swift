import AccessoryProfile
import ArgumentParser

struct SchemaCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "schema", abstract: "Print the JSON schema of the profile language, for editors.")

  func run() { Terminal.print(ProfileSchema.json) }
}
