import AccessoryProfile
import ArgumentParser
import BLECore
import Bench

struct FaultsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "faults",
    abstract: "Measure what armed faults cost the accesses and values of characteristics that they do not concern.")

  @Option(help: "The number of accesses in each of \(FaultBench.rounds) rounds; the fastest round counts.")
  var count = 20_000

  @Option(help: "The number of faults that are armed.")
  var faults = 1

  @Flag(help: "Print JSON, one line for each kind of access.")
  var json = false

  func validate() throws {
    guard (1...10_000_000).contains(count) else { throw ValidationError("--count takes 1 to 10000000") }
    guard (1...1000).contains(faults) else { throw ValidationError("--faults takes 1 to 1000") }
  }

  func run() throws {
    for figure in try FaultBench(faults: faults).measure(accesses: count) {
      let (bare, armed) = (figure.bare.inSeconds * 1e9, figure.armed.inSeconds * 1e9)
      if json {
        ProfileValue.object([
          "access": .string(figure.access.rawValue), "ns": .double(bare.rounded(places: 1)),
          "ns_armed": .double(armed.rounded(places: 1)), "cost_ns": .double((armed - bare).rounded(places: 1)),
        ]).printLine()
      } else {
        print(
          "\(figure.access.rawValue): \(bare.rounded(places: 1)) ns, \(armed.rounded(places: 1)) ns with faults armed, "
            + "which cost \((armed - bare).rounded(places: 1)) ns")
      }
    }
  }
}
