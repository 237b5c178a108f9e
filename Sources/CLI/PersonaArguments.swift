import ArgumentParser
import BLEGAP

/// The option for the persona of a central.
struct PersonaArguments: ParsableArguments {
  @Option(
    name: .customLong("as"),
    help: ArgumentHelp(
      "The system that the central behaves like: \(CentralPersona.all.map(\.name).joined(separator: ", ")).",
      valueName: "system"),
    transform: { try Self.persona($0) })
  var persona: CentralPersona?

  private static func persona(_ name: String) throws -> CentralPersona {
    guard let persona = CentralPersona.named(name) else {
      throw ValidationError(
        "there is no system \(name) (known: \(CentralPersona.all.map(\.name).joined(separator: ", ")))")
    }
    return persona
  }
}
