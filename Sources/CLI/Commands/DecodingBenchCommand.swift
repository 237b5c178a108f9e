import AccessoryProfile
import ArgumentParser
import Bench
import Capture
import Decoding
import Understudy

struct DecodingBenchCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture", abstract: "Measure how fast captures are read, decoded and filtered.")

  @Option(help: "How many packets the capture has.")
  var packets = 2_000_000

  @Flag(help: "Print JSON, one line for each measurement.")
  var json = false

  func validate() throws {
    guard (1...50_000_000).contains(packets) else { throw ValidationError("--packets takes 1 to 50000000") }
  }

  func run() throws {
    let bench = DecodingBench(packets: packets)
    for filter in ["", "att.write && value > 180", "handle == 0x40 && (att.notification || latency > 10ms)"] {
      let result = try bench.measure(filter.isEmpty ? nil : try PacketFilter(filter))
      if json {
        Terminal.print(
          json: .object([
            "filter": .string(filter), "packets": .int(Int64(result.packets)), "accepted": .int(Int64(result.accepted)),
            "packets-per-second": .double(result.rate),
          ]))
      } else {
        let name = filter.isEmpty ? "decoded" : filter
        Terminal.print("\(Int(result.rate)) packets/s: \(name), \(result.accepted) of \(result.packets)")
      }
    }
  }
}
