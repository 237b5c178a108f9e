import AccessoryProfile
import ArgumentParser
import Understudy

struct DescribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Say what the accessory does: address, advertising, every service and characteristic.")

  @OptionGroup var argument: ProfileArgument

  @Option(help: "The seed of derived addresses, as for `run`.")
  var seed: UInt64 = 0

  @Flag(help: "Print JSON.")
  var json = false

  func run() throws {
    let profile = try argument.load()
    do {
      let description = try ProfileDescription(profile, seed: seed)
      Terminal.print(json ? description.json.jsonText : description.text)
    } catch {
      Terminal.error("\(profile.file): \(AccessoryFailure.definition(error))")
      throw ExitStatus.invalidProfile
    }
  }
}
