import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Glibc
import Reporting
import Understudy

struct PlotCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plot", abstract: "Draw what a capture shows over time: values, latency, throughput, signal strength.",
    discussion: """
      The drawing goes to the terminal, or with --output into an SVG file.

      understudy plot run.pcapng --value 2A37.bpm
      understudy plot run.pcapng --value heart-rate-measurement --output rate.svg
      understudy plot run.pcapng --latency

      A characteristic is a UUID, an assigned name, or an id in the profile that --profile names. The drawing shows all values that \
      were notified, indicated, read or written.
      """)

  @OptionGroup var source: CaptureSourceArguments

  @Option(
    help: ArgumentHelp(
      "The numbers in a characteristic's values, or in one field.", valueName: "characteristic[.field]"))
  var value: String?

  @Flag(help: "The time from each ATT request and indication to its answer.")
  var latency = false

  @Flag(help: "L2CAP data in both directions, in kbit/s.")
  var throughput = false

  @Flag(help: "The signal strength of packets on the air, in dBm.")
  var rssi = false

  @Option(help: ArgumentHelp("Draw into this SVG file instead of the terminal.", valueName: "file"))
  var output: String?

  @Flag(help: "Draw with ASCII characters; the default if the locale is not UTF-8.")
  var ascii = false

  @OptionGroup var values: ValueFormatArguments

  @OptionGroup var decryption: DecryptionArguments

  func validate() throws {
    guard (value == nil ? 0 : 1) + [latency, throughput, rssi].count(where: \.self) == 1 else {
      throw ValidationError("give one of --value, --latency, --throughput and --rssi")
    }
    if let value, ValueName(value) == nil {
      throw ValidationError("--value takes a characteristic, or a characteristic and a field: 2A37.bpm")
    }
  }

  func run() async throws {
    let source = try await source.open()
    if let output { try source.refuseOutput(output, "--output") }
    var (formats, decoder) = try values.decoding(source)
    var ids: [String: BluetoothUUID] = [:]
    for behavior in try values.profiles().flatMap(\.behaviors) { ids[behavior.id] = behavior.uuid }
    var reader = PlotReader(quantity(ids), formats: formats)
    var fault: (any Error)?
    do {
      try CaptureReading.forEachRecord(of: source, &decoder, keys: decryption.keys()) { summary, record, decoder in
        reader.take(summary, record, decoder)
      }
    } catch {
      // Draw the packets before the damage.
      fault = error
    }
    let series = reader.series()
    guard series.contains(where: { !$0.points.isEmpty }) else {
      if let fault { throw fault }
      Terminal.error(TerminalText("\(source.name) \(absence(reader))"))
      throw ExitStatus.invalidCapture
    }
    if let output {
      try NewFile.replace(output, with: CurveChart.svg(series, title: source.title))
    } else {
      for line in TerminalChart.lines(series, width: Self.width, isASCII: ascii || !Self.isUTF8) {
        Terminal.print(TerminalText(line))
      }
    }
    if let fault { throw fault }
  }

  private func quantity(_ ids: [String: BluetoothUUID]) -> PlotReader.Quantity {
    if let value, let name = ValueName(value, ids: ids) { return .value(name) }
    return latency ? .latency : throughput ? .throughput : .strength
  }

  /// Says what is missing, and what there is instead.
  private func absence(_ reader: PlotReader) -> String {
    if latency { return "has no ATT request with an answer" }
    if throughput { return "has no L2CAP data" }
    if rssi { return "has no packet on the air with a signal strength" }
    let names = reader.valueNames
    guard !names.isEmpty else {
      return
        "has no values that are numbers: give their formats with --profile, or a capture that begins before the discovery"
    }
    return "has no numbers of \(value ?? ""); it has \(names.joined(separator: ", "))"
  }

  /// The width of the terminal, or 80.
  private static var width: Int {
    var size = winsize()
    guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0 else { return 80 }
    return min(200, Int(size.ws_col))
  }

  /// Whether the locale of the environment is UTF-8 (POSIX.1-2017 8.2).
  private static var isUTF8: Bool {
    let variables: [String] = ["LC_ALL", "LC_CTYPE", "LANG"]
    let values = variables.map { variable in getenv(variable).map { String(cString: $0) } ?? "" }
    let name = values.first { !$0.isEmpty } ?? ""
    let upper = name.uppercased()
    return upper.contains("UTF-8") || upper.contains("UTF8")
  }
}
