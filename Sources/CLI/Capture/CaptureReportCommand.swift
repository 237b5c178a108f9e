import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Reporting
import Understudy

struct CaptureReportCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "report",
    abstract: "Write a report of a capture: one HTML file that needs no network.",
    discussion: """
      The report shows all packets with their fields on one time line, values as curves, and marks for faults and losses. If there are \
      more than 10,000 packets, it leaves out advertising and empty packets first, then packets in the middle, and says how many. \
      --attach and --tap record until Control-C.

      A file that ends in .jsonl lists cases of another test framework. Each line is a JSON object with `name`, and optionally \
      `suite`, `file`, `line`, `failure`, `capture` (the path of a capture) and `events` (the events of `understudy run --json`).
      """)

  @OptionGroup var source: CaptureSourceArguments

  @Option(help: ArgumentHelp("The file to write.", valueName: "file"))
  var output: String

  @OptionGroup var values: ValueFormatArguments

  @OptionGroup var decryption: DecryptionArguments

  func run() async throws {
    let source = try await source.open()
    try source.refuseOutput(output, "--output")
    if case .file(let path) = source, path.hasSuffix(".jsonl") { return try writeCases(in: path) }
    let (formats, decoder) = try values.decoding(source)
    var builder = TrackBuilder(decoder: decoder)
    builder.formats = formats
    source.prepare(&builder.decoder)
    var shelf = RecordShelf()
    var fault: (any Error)?
    var reader = PacketDecoder()
    do {
      try CaptureReading.forEachRecord(of: source, &reader, keys: decryption.keys()) { _, record, _ in
        shelf.append(record)
      }
    } catch {
      // The report shows the packets before the damage.
      fault = error
    }
    let track = builder.track(of: shelf)
    guard !track.packets.isEmpty else {
      if let fault { throw fault }
      Terminal.error("\(source.name) has no packets")
      throw ExitStatus.invalidCapture
    }
    var reported = ReportedCase(name: source.title, file: source.name, outcome: .recorded)
    (reported.epoch, reported.hasTimesOfDay) = (track.began, true)
    reported.duration = (track.packets.last?.nanoseconds ?? 0)
    reported.track = track
    let report = RunReport(title: source.title, maker: "understudy \(Version.number)", cases: [reported])
    try NewFile.replace(output, with: ReportPage.text(of: report))
    if let fault { throw fault }
  }

  /// Writes the report of a list of cases.
  private func writeCases(in path: String) throws {
    var cases: [RecordedCase] = []
    switch FileReading.text(at: path) {
    case .failure(let failure):
      Terminal.error(TerminalText("\(path) \(failure.reason)"))
      throw ExitStatus.noInput
    case .success(let text):
      for (number, line) in text.split(separator: "\n").enumerated() {
        guard let entry = try? ProfileValue(json: Array(line.utf8)), let recorded = RecordedCase(entry) else {
          Terminal.error(TerminalText("\(path):\(number + 1): expected a JSON object with a name"))
          throw ExitStatus.invalidCapture
        }
        cases.append(recorded)
      }
    }
    let profiles = try values.profiles()
    let limit = RunReport.packetShare(cases: cases.count { $0.capture != nil })
    do {
      let reported = try cases.map { recorded in
        var recorded = recorded
        recorded.profiles = profiles
        return try recorded.reported(limit: limit)
      }
      let title = Set(cases.map(\.suite)).count == 1 ? cases[0].suite : "\(cases.count) cases"
      let report = RunReport(title: title, maker: "understudy \(Version.number)", cases: reported)
      try NewFile.replace(output, with: ReportPage.text(of: report))
    } catch let failure as CaptureReadFailure {
      Terminal.error("\(failure)")
      throw ExitStatus.invalidCapture
    }
  }
}
