import AccessoryProfile
import ArgumentParser
import Understudy

/// The developers' measurements: what says something about this program's own code, and nothing about an app or an accessory.
@main
struct UnderstudyBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "understudy-bench", abstract: "Measure and soak what Understudy is made of.",
    subcommands: [
      SoakCommand.self, MemoryCommand.self, ValuesCommand.self, FaultsCommand.self, DecodingCommand.self,
      SwarmCommand.self,
    ])
}

extension Profile {
  /// Loads a profile that an argument gives: a file, or the name of a shipped one.
  static func load(argument: String) throws -> Profile {
    guard let path = ShippedProfiles.path(named: argument) else {
      throw ValidationError("there is no profile \(argument): no file of that name, and no shipped one")
    }
    return try load(contentsOf: path)
  }
}

extension ProfileValue {
  /// Prints it as a line of JSON.
  func printLine() { print(jsonText) }
}
