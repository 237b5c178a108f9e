import AccessoryProfile
import ArgumentParser
import Capture
import Decoding
import Understudy

struct DecodingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decoding",
    abstract: "Measure how fast captures are read, decoded, filtered and shown, and packets are stored in the ring.")

  /// The octets that a ring keeps by default in `understudy run`.
  private static let ringLimit = 1 << 20

  @Option(help: "The number of packets in the capture.")
  var packets = 2_000_000

  @Option(help: "The number of packets that arrive on the screen, a thousand a second.")
  var screenPackets = 1_000_000

  @Option(
    help: ArgumentHelp(
      "Only write the captures to this folder, to measure `understudy capture` with them.", valueName: "folder"))
  var save: String?

  @Flag(help: "Print JSON, one line for each measurement.")
  var json = false

  func validate() throws {
    guard (1...50_000_000).contains(packets) else { throw ValidationError("--packets takes 1 to 50000000") }
    guard (1...50_000_000).contains(screenPackets) else {
      throw ValidationError("--screen-packets takes 1 to 50000000")
    }
  }

  func run() throws {
    if let save { return try saveCaptures(in: save) }
    let bench = DecodingBench(.notifications, packets: packets)
    report(try bench.measure(), "decoded")
    for filter in ["att.write && value > 180", "handle == 0x40 && (att.notification || latency > 10ms)"] {
      report(try bench.measure(try PacketFilter(filter)), "filtered", filter)
    }
    for traffic in DecodingBench.Traffic.allCases {
      let bench = DecodingBench(traffic, packets: packets)
      for output in DecodingBench.Output.allCases {
        report(try bench.measure(output), "\(output.rawValue) of \(traffic.rawValue)")
      }
    }
    report(try bench.measureRing(limit: Self.ringLimit), "ring")
    var screen = try ScreenBench()
    report(screen.measure(packets: screenPackets))
  }

  /// Writes the captures, to measure the program with them.
  private func saveCaptures(in folder: String) throws {
    for traffic in DecodingBench.Traffic.allCases {
      var file = try OutputFile(creating: "\(folder)/\(traffic.rawValue).btsnoop")
      try file.write(DecodingBench(traffic, packets: packets).octets.span)
      try file.finish()
    }
  }

  private func report(_ result: ScreenBench.Result) {
    if json {
      return ProfileValue.object([
        "measurement": .string("screen"), "packets": .int(Int64(result.packets)),
        "drawings": .int(Int64(result.drawings)), "octets": .int(Int64(result.octets)),
        "percent-at-1000": .double(result.percent), "longest-turn-nanoseconds": .int(result.longestTurn),
        "longest-drawing-nanoseconds": .int(result.longestDrawing), "filtering-nanoseconds": .int(result.filtering),
        "longest-filtering-turn-nanoseconds": .int(result.longestFiltering),
      ]).printLine()
    }
    func milliseconds(_ nanoseconds: Int64) -> String { "\((Double(nanoseconds) / 1e4).rounded() / 100) ms" }
    print(
      "\((result.percent * 1000).rounded() / 1000) % of a processor at 1000/s: screen, \(result.packets) packets, "
        + "\(result.drawings) drawings of \(result.octets / max(result.drawings, 1)) octets; "
        + "longest turn \(milliseconds(result.longestTurn)), longest drawing \(milliseconds(result.longestDrawing)); "
        + "a filter of texts \(milliseconds(result.filtering)), longest turn \(milliseconds(result.longestFiltering))")
  }

  private func report(_ result: DecodingBench.Result, _ name: String, _ filter: String = "") {
    // The share of one processor that a thousand packets per second take.
    let load = 100_000 / max(result.rate, 1)
    if json {
      ProfileValue.object([
        "measurement": .string(name), "filter": .string(filter), "packets": .int(Int64(result.packets)),
        "accepted": .int(Int64(result.accepted)), "packets-per-second": .double(result.rate),
        "percent-at-1000": .double(load),
      ]).printLine()
    } else {
      let digits = (load * 1000).rounded() / 1000
      print(
        "\(Int(result.rate)) packets/s, \(digits) % of a processor at 1000/s: \(filter.isEmpty ? name : filter), "
          + "\(result.accepted) of \(result.packets)")
    }
  }
}
