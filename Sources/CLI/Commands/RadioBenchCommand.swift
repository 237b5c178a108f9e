import AccessoryProfile
import ArgumentParser
import BLECore
import Bench
import Understudy

struct RadioBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio",
    abstract: "Measure the cost of the virtual radio, with a long connection and with a crowd.",
    discussion: """
      Simulates heart-rate belts and centrals at a connection interval of 30 ms, in virtual time. The load is the share of one \
      core that the same simulation takes in real time.
      """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("How long to simulate one connection, such as 12h (default: 1h).", valueName: "time"),
    transform: { try RunningTime.parse($0) })
  var length: Duration = .seconds(3600)

  @Option(help: "The number of accessories in the crowd.")
  var accessories = 100

  @Option(help: "The number of accessories in the crowd that are connected.")
  var links = 20

  @Option(
    help: ArgumentHelp("How long to simulate the crowd, such as 5min (default: 60s).", valueName: "time"),
    transform: { try RunningTime.parse($0) })
  var crowdFor: Duration = .seconds(60)

  @Option(help: "The seed for everything random.")
  var seed: UInt64 = 0

  @Flag(help: "Print JSON, one line for each measurement.")
  var json = false

  func validate() throws {
    guard (1...250).contains(accessories), (0...accessories).contains(links) else {
      throw ValidationError("--accessories takes 1 to 250, --links no more than that")
    }
  }

  func run() async throws {
    let bench = RadioBench(try ProfileArguments.load("heart-rate"), seed: seed)
    print("one connection", try bench.connection(for: length))
    print(
      "\(accessories) accessories, \(links) connected",
      try bench.crowd(accessories: accessories, links: links, for: crowdFor))
  }

  private func print(_ name: String, _ figure: RadioBench.Figure) {
    guard json else {
      return Terminal.print(
        "\(name): \(figure.simulated.shortText) took \(figure.processor.shortText) of processor time, "
          + "\(percent(figure.load)) of a core in real time; \(figure.notifications) notifications, \(figure.links) links"
      )
    }
    Terminal.print(
      json: .object([
        "name": .string(name), "simulated_s": .double(figure.simulated.inSeconds),
        "cpu_s": .double(figure.processor.inSeconds), "load": .double(figure.load),
        "notifications": .int(Int64(figure.notifications)), "links": .int(Int64(figure.links)),
      ]))
  }

  private func percent(_ share: Double) -> String { "\((share * 1000).rounded() / 10) %" }
}
