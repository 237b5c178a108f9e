import AccessoryProfile
import ArgumentParser
import BLECore

struct ValuesCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "values",
    abstract: "Measure how long generated values take, from their timers to the octets of the notifications.")

  @Argument(help: "A profile; its characteristics with notifications on a timer are measured.")
  var profile = "heart-rate"

  @Option(help: "The number of values in each of ten rounds; the fastest round counts.")
  var count = 20_000

  @Flag(help: "Print JSON, one line for each characteristic.")
  var json = false

  func validate() throws {
    guard (1...10_000_000).contains(count) else { throw ValidationError("--count takes 1 to 10000000") }
  }

  func run() throws {
    for figure in ValueBench(try Profile.load(argument: profile)).measure(values: count) {
      let nanoseconds = (figure.each.inSeconds * 1e9).rounded()
      if json {
        ProfileValue.object([
          "id": .string(figure.id), "values": .int(Int64(figure.values)), "ns_each": .double(nanoseconds),
        ]).printLine()
      } else {
        print("\(figure.id): \(Int(nanoseconds)) ns")
      }
    }
  }
}
