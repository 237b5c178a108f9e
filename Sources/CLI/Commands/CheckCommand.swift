import AccessoryProfile
import ArgumentParser
import BLEGATT

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check a profile and say everything that is wrong with it.")

  @OptionGroup var argument: ProfileArgument

  func run() throws {
    let profile = try argument.load()
    let count = profile.services.reduce(0) { $0 + $1.characteristics.count }
    Terminal.print(
      "\(profile.file): \(profile.name) is valid: \(profile.services.count) services, \(count) characteristics, "
        + "\(profile.advertising.count) advertising sets"
        + (profile.warnings.isEmpty ? "" : ", \(profile.warnings.count) warnings"))
  }
}
