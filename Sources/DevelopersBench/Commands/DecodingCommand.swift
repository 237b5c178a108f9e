import AccessoryProfile
import ArgumentParser
import Capture
import Decoding
import Understudy

struct DecodingCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "decoding",
    abstract: "Measure how fast captures are read, decoded, filtered and shown, and packets are stored in the ring.")

  /// The octets that a ring keeps unless `understudy run` is told otherwise.
  private static let ringLimit = 4 << 20

  @Option(help: "The number of packets in the capture.")
  var packets = 2_000_000

  @Flag(help: "Print JSON, one line for each measurement.")
  var json = false

  func validate() throws {
    guard (1...50_000_000).contains(packets) else { throw ValidationError("--packets takes 1 to 50000000") }
  }

  func run() throws {
    let bench = DecodingBench(packets: packets)
    report(try bench.measure(), "decoded")
    for filter in ["att.write && value > 180", "handle == 0x40 && (att.notification || latency > 10ms)"] {
      report(try bench.measure(try PacketFilter(filter)), "filtered", filter)
    }
    report(try bench.measureTexts(), "texts")
    report(try bench.measureRing(limit: Self.ringLimit), "ring")
  }

  private func report(_ result: DecodingBench.Result, _ name: String, _ filter: String = "") {
    // What a thousand packets in a second take of one processor.
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
