import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Understudy

struct CaptureCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "capture",
    abstract: "Show, filter and convert a capture: btsnoop, btmon, pcapng, pcap, PacketLogger.",
    discussion: """
      A filter is such as `att.write && value > 180`, `handle == 0x40 and not event`, `name contains "heart rate"`, \
      `latency > 100ms`, `text ~ /Error|Reject/`. A word that is not known is answered with all that are.
      """)

  @Argument(help: "The capture file; - is standard input.")
  var file: String

  @Option(help: ArgumentHelp("Only packets that this is true of.", valueName: "expression"))
  var filter: String?

  @Flag(help: "Show all fields of all layers, and their octets.")
  var tree = false

  @Flag(help: "Print a line of JSON for each packet.")
  var json = false

  @Flag(help: "Print counters, throughput and latencies in place of packets.")
  var stats = false

  @Option(help: ArgumentHelp("Write the packets to another file, whose ending says the format.", valueName: "out"))
  var convert: String?

  @Option(help: "The format to convert to: btsnoop, monitor, pcapng, pcap or pklg.")
  var format: Format?

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case btsnoop, monitor, pcapng, pcap, pklg
    var format: CaptureFormat { CaptureFormat(rawValue: rawValue) ?? .pcapng }
  }

  func validate() throws {
    if format != nil, convert == nil { throw ValidationError("--format needs --convert") }
    if tree, stats { throw ValidationError("--tree and --stats exclude each other") }
    if let convert, format == nil, CaptureFormat(path: convert) == nil {
      throw ValidationError("\(convert) has no ending that says its format: give --format")
    }
    _ = try packetFilter()
  }

  private func packetFilter() throws -> PacketFilter? {
    guard let filter else { return nil }
    do throws(FilterFault) {
      return try PacketFilter(filter)
    } catch {
      let mark = String(repeating: " ", count: error.column - 1) + "^"
      throw ValidationError("--filter, column \(error.column): \(error)\n  \(filter)\n  \(mark)")
    }
  }

  func run() throws {
    let filter = try packetFilter()
    var sink: CaptureSink?
    if let convert {
      sink = try CaptureSink(path: convert, format: format?.format ?? CaptureFormat(path: convert) ?? .pcapng)
    }
    var decoder = PacketDecoder(valueText: Self.valueText)
    var statistics = CaptureStatistics()
    let printer = PacketPrinter(isJSON: json, showsTree: tree)
    do throws(CaptureReadFailure) {
      var reader = try CaptureFileReader(opening: file)
      var record = CaptureRecord()
      while try reader.next(into: &record) {
        let summary = decoder.receive(record)
        if let filter, !filter.accepts(summary, record, decoder) { continue }
        if stats {
          statistics.count(summary, record)
        } else if sink == nil {
          printer.print(summary, record, decoder)
        }
        sink?.append(record)
      }
    } catch {
      // What came before the damage has been shown.
      Terminal.error("\(error)")
      try sink?.end()
      throw Self.exitCode(error)
    }
    if stats { printer.print(statistics) }
    try sink?.end()
  }

  private static func exitCode(_ failure: CaptureReadFailure) -> ExitCode {
    switch failure {
    case .system: ExitStatus.noInput
    case .format: ExitStatus.invalidCapture
    }
  }

  /// Values by the formats that assigned characteristics have.
  private static let valueText: PacketDecoder.ValueText = { uuid, octets in
    let format = ValueFormat.assigned(to: uuid)
    return format == .octets ? nil : format.decode(octets).jsonText
  }
}
