import AccessoryProfile
import ArgumentParser
import BLEGATT

struct CheckCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "check", abstract: "Check profiles and say everything that is wrong with them.")

  @OptionGroup var arguments: ProfileArguments

  func run() throws { _ = try arguments.load { Terminal.print(Self.praise($0)) } }

  private static func praise(_ profile: Profile) -> String {
    let count = profile.services.reduce(0) { $0 + $1.characteristics.count }
    return "\(profile.file): \(profile.name) is valid: \(profile.services.count) services, \(count) characteristics, "
      + "\(profile.advertising.count) advertising sets"
      + (profile.warnings.isEmpty ? "" : ", \(profile.warnings.count) warnings")
  }
}
