import AccessoryProfile
import ArgumentParser
import BLEGATT
import Understudy

struct DescribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Say what accessories do: address, advertising, every service and characteristic.")

  @OptionGroup var arguments: ProfileArguments

  @Option(help: "The seed of derived addresses, as for `run`.")
  var seed: UInt64 = 0

  @Flag(help: "Print JSON: an object, or with several profiles an array.")
  var json = false

  func run() throws {
    let plans = try AccessoryPlan.checked(try arguments.load(), options: AccessoryOptions(seed: seed))
    let descriptions = try plans.map { plan in
      do throws(AttributeDatabase.DefinitionError) {
        return try ProfileDescription(plan.profile, seed: plan.options.seed)
      } catch {
        Terminal.error("\(plan.profile.file): \(AccessoryFailure.definition(error))")
        throw ExitStatus.invalidProfile
      }
    }
    if json {
      Terminal.print(json: descriptions.count == 1 ? descriptions[0].json : .array(descriptions.map(\.json)))
    } else {
      Terminal.print(TerminalText(lines: descriptions.map(\.text).joined(separator: "\n\n")))
    }
  }
}
