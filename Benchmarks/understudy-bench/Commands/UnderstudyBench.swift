import AccessoryProfile
import ArgumentParser
import Understudy

/// The developers' measurements. They say something about this program's own code, and nothing about an app or an accessory.
@main
struct UnderstudyBench: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "understudy-bench", abstract: "Measure Understudy's own parts, and run them for a long time.",
    subcommands: [
      SoakCommand.self, MemoryCommand.self, ValuesCommand.self, FaultsCommand.self, DecodingCommand.self,
      SwarmCommand.self,
    ])
}

extension Profile {
  /// Loads a profile that is given as an argument: a file, or the name of a shipped profile.
  static func load(argument: String) throws -> Profile {
    guard let path = ShippedProfiles.path(named: argument) else {
      throw ValidationError("there is no profile \(argument): no file and no shipped profile has that name")
    }
    return try load(contentsOf: path)
  }
}

extension ProfileValue {
  /// Prints the value as a line of JSON.
  func printLine() { print(jsonText) }
}
