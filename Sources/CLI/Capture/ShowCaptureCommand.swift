import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Viewing

struct ShowCaptureCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "show",
    abstract: "Show, filter, follow and convert a capture; the default, `understudy capture FILE`.",
    discussion: """
      Examples of filters: `att.write && value > 180`, `handle == 0x40 and not event`, `name contains "heart rate"`, \
      `latency > 100ms`, `text ~ /Error|Reject/`. The error for an unknown word lists all known ones.

      --follow takes \(Following.forms). If a capture has several points of view of a connection, only one is shown: the \
      peripheral's host, or else the central's host, or else the air. --filter air and --filter hci select another one.

      --attach and --tap work like a file, but live; Control-C ends them, and then --stats are printed. A tap is inserted into \
      a line: if the host connects to `tcp-client:board:7001`, let it connect to `tcp-client:localhost:7000` instead, and run \
      `understudy capture --tap tcp-server:localhost:7000 tcp-client:board:7001`.
      """)

  @OptionGroup var source: CaptureSourceArguments

  @Option(help: ArgumentHelp("Show only packets that match.", valueName: "expression"))
  var filter: String?

  @Option(
    help: ArgumentHelp(
      "Show only packets and messages of at least this level: debug (all), info, warning or error.", valueName: "level")
  )
  var level: PacketLevel?

  @Option(help: ArgumentHelp("Show only the packets of an attribute, a channel or a pairing.", valueName: "what"))
  var follow: String?

  @Flag(help: "Show all fields of all layers, and their octets.")
  var tree = false

  @Flag(help: "Print a line of JSON for each packet.")
  var json = false

  @Flag(help: "Print the values of the attribute that --follow names, as CSV.")
  var csv = false

  @Flag(help: "Print counters, throughput and latencies instead of packets.")
  var stats = false

  @Flag(
    name: [.customShort("i"), .customLong("screen")],
    help: "Browse the packets on the full screen, even while they arrive; ? lists the keys.")
  var isOnScreen = false

  @Option(
    help: ArgumentHelp("Write the packets to another file, whose extension selects the format.", valueName: "out"))
  var convert: String?

  @Option(help: "The format to convert to: btsnoop, monitor, pcapng, pcap or pklg.")
  var format: Format?

  @Option(
    name: .customLong("comment"),
    help: ArgumentHelp(
      "While converting, add a comment to the packets that match a filter; may be repeated.",
      valueName: "filter=text"))
  var comments: [String] = []

  @Option(
    name: .customLong("flag"),
    help: ArgumentHelp(
      "Flag the packets that match, to find them again with `--filter flagged` or on the screen.", valueName: "filter"))
  var flag: String?

  @OptionGroup var values: ValueFormatArguments

  @OptionGroup var decryption: DecryptionArguments

  enum Format: String, CaseIterable, ExpressibleByArgument {
    case btsnoop, monitor, pcapng, pcap, pklg
    var format: CaptureFormat { CaptureFormat(rawValue: rawValue) ?? .pcapng }
  }

  func validate() throws {
    if format != nil, convert == nil { throw ValidationError("--format needs --convert") }
    if !comments.isEmpty, convert == nil { throw ValidationError("--comment needs --convert") }
    if tree, stats { throw ValidationError("--tree and --stats exclude each other") }
    if csv, json || tree || stats { throw ValidationError("--csv excludes --json, --tree and --stats") }
    if isOnScreen, json || csv || tree || stats || convert != nil {
      throw ValidationError("--screen excludes --json, --csv, --tree, --stats and --convert")
    }
    if let convert, format == nil, CaptureFormat(path: convert) == nil {
      throw ValidationError("\(convert) has no extension that selects a format: give --format")
    }
    _ = try CaptureReading.filter(filter)
    _ = try CaptureReading.filter(flag, option: "--flag")
    _ = try commentRules()
    let following = try following()
    switch following?.subject {
    case .handle, .type, .name: break
    default: if csv { throw ValidationError("--csv needs --follow with an attribute, such as --follow 2A37") }
    }
  }

  private func following() throws -> Following? {
    guard let follow else { return nil }
    do throws(FollowingFault) { return try Following(parsing: follow) } catch {
      throw ValidationError("--follow: \(error)")
    }
  }

  /// Returns whether to choose one point of view for a conversation. A numbered pairing already has one.
  private func choosesView(_ following: Following?) -> Bool {
    switch following?.subject {
    case nil, .pairing(_?): false
    default: filter == nil
    }
  }

  /// Creates the file of `--convert`.
  private func sink(for source: CaptureSource) throws -> CaptureSink? {
    guard let convert else { return nil }
    return try CaptureSink.create(
      convert, format?.format ?? CaptureFormat(path: convert) ?? .pcapng, source: source)
  }

  private func commentRules() throws -> [CommentRule] { try comments.map { try CommentRule(parsing: $0) } }

  func run() async throws {
    let source = try await source.open()
    if isOnScreen { return try showOnScreen(source) }
    let filter = try CaptureReading.filter(filter)
    let flagging = try CaptureReading.filter(flag, option: "--flag")
    let rules = try commentRules()
    var following = try following()
    var view = choosesView(following) ? PointOfView() : nil
    var shown = 0
    var sink = try sink(for: source)
    var decoder = try values.decoding(source).decoder
    var statistics = CaptureStatistics()
    let printer = PacketPrinter(isJSON: json, showsTree: tree)
    var output = LineOutput()
    var conversation = following.map { ConversationPrinter(subject: $0.subject) }
    var table = csv ? following.map(ValueTable.init) : nil
    if csv { output.print("\(ValueTable.head)") }
    do {
      try CaptureReading.forEachRecord(
        of: source, &decoder, keys: decryption.keys(),
        willWait: {
          output.flush()
          if source.isLive { sink?.flush() }
        }
      ) { summary, record, decoder in
        let record = flagging.map { record.flagged(by: $0, summary, decoder) } ?? record
        view?.receive(summary, record)
        let isShown =
          level.map { summary.level(in: record) >= $0 } ?? true && filter?.accepts(summary, record, decoder) ?? true
          && following?.accepts(summary, record, decoder) ?? true
          && view?.accepts(summary) ?? true
        if source.isLive, !isShown || stats || csv || convert != nil {
          output.flush()
          note(record)
        }
        guard isShown else { return }
        shown += 1
        if stats {
          statistics.count(summary, record)
        } else if table != nil {
          for row in table?.rows(summary, record, decoder) ?? [] { output.print("\(row)") }
        } else if sink == nil {
          if json || tree || conversation == nil {
            printer.print(summary, record, decoder, to: &output)
          } else {
            conversation?.print(summary, record, decoder, to: &output)
          }
        }
        if sink != nil { sink?.append(rules.reduce(record) { $1.applied(to: $0, summary, decoder) }) }
      }
    } catch {
      output.flush()
      // The records before the damage have been shown. Without any, an existing file is kept.
      if decoder.count > 0 || source.isLive { try sink?.end() }
      throw error
    }
    if stats { printer.print(statistics, to: &output) }
    if sink == nil, !json, !csv, !stats { conversation?.end(decoder, to: &output) }
    output.flush()
    try sink?.end()
    explain(shown, of: decoder.count, view)
  }
}

extension PacketLevel: ExpressibleByArgument {
  /// Parses the name of a level.
  public init?(argument: String) { self.init(name: argument) }
  /// The names of all levels.
  public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension ShowCaptureCommand {
  private func showOnScreen(_ source: CaptureSource) throws {
    let keys = try decryption.keys()
    var decoder = try values.decoding(source).decoder
    source.prepare(&decoder)
    let model = try ScreenModel(
      title: source.title, decoder: decoder,
      filter: filter, level: level, follow: follow, flag: flag, sanitize: { TerminalText($0).rendered })
    let runner = try ScreenRunner(model, source, decryptor: LinkDecryptor(keys: keys))
    try runner.run()
  }

  /// Explains on standard error why nothing is shown, or why some packets are not.
  private func explain(_ shown: Int, of count: Int, _ view: PointOfView?) {
    let wanted = [
      level.map { "--level \($0.name)" }, filter.map { "--filter '\($0)'" }, follow.map { "--follow '\($0)'" },
    ].compactMap(\.self)
    if shown == 0, count > 0, !wanted.isEmpty {
      Terminal.note("none of the \(count) packets matches \(wanted.joined(separator: " and "))")
    }
    if let view, view.omitted > 0 {
      Terminal.note(
        "\(view.omitted) packets from other points of view are left out; --filter air or --filter hci selects another one"
      )
    }
  }

  /// Prints a tap's message on standard error, if it is not among the shown packets.
  private func note(_ record: CaptureRecord) {
    if case .message(.note) = record.content { Terminal.note("\(String(decoding: record.octets, as: UTF8.self))") }
  }
}
