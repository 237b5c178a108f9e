import AccessoryProfile
import ArgumentParser
import BLECore
import Bench
import Understudy

struct RadioBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio",
    abstract: "Measure what the virtual radio costs: a long connection, and a crowd.",
    discussion: """
      Heart-rate belts and centrals at a connection interval of 30 ms, under virtual time. The load is the share of one core \
      that the same takes in real time.
      """)

  @Option(
    name: .customLong("for"),
    help: ArgumentHelp("For how long one connection is simulated, as 12h; 1h if not given.", valueName: "time"),
    transform: { try RunningTime.parse($0) })
  var length: Duration = .seconds(3600)

  @Option(help: "How many accessories the crowd has.")
  var accessories = 100

  @Option(help: "How many of them are connected.")
  var links = 20

  @Option(
    help: ArgumentHelp("For how long the crowd is simulated, as 5min; 60s if not given.", valueName: "time"),
    transform: { try RunningTime.parse($0) })
  var crowdFor: Duration = .seconds(60)

  @Option(help: "The seed of everything random.")
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
