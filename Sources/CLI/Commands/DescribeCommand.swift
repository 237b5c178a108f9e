import AccessoryProfile
import ArgumentParser
import BLEGATT
import Understudy

struct DescribeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "describe",
    abstract: "Describe accessories: address, advertising, every service and characteristic.")

  @OptionGroup var arguments: ProfileArguments

  @Option(help: "The seed for derived addresses, as for `run`.")
  var seed: UInt64 = 0

  @Flag(help: "Print a JSON object, or an array if there are several profiles.")
  var json = false

  @Flag(help: "Print an SVG picture of one profile: its attributes, and the sequence of a connection.")
  var svg = false

  func validate() throws {
    guard svg else { return }
    if json { throw ValidationError("--json and --svg exclude each other") }
    if arguments.profiles.count > 1 { throw ValidationError("--svg takes one profile") }
  }

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
    } else if svg, let description = descriptions.first {
      Terminal.print(TerminalText(lines: description.svg))
    } else {
      Terminal.print(TerminalText(lines: descriptions.map(\.text).joined(separator: "\n\n")))
    }
  }
}
