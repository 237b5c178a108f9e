import AccessoryProfile
import ArgumentParser
import Decoding
import Understudy
import Viewing

struct CaptureDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Show the differences between two captures, for example why one phone works and another does not.",
    discussion: """
      The captures are compared as transcripts: what central and peripheral send over ATT, the Security Manager and signalling, \
      and changes of the connection. Times, handles, addresses, channel numbers, keys and random values are ignored, and \
      consecutive repetitions count as one. The exit code is 1 if the captures differ.
      """)

  @Argument(help: "The first capture; - means standard input.")
  var first: String

  @Argument(help: "The second capture.")
  var second: String

  @Option(help: ArgumentHelp("Compare only packets that match.", valueName: "expression"))
  var filter: String?

  @Flag(help: "Also compare the values that are read, notified and indicated.")
  var values = false

  @Option(help: "The number of common steps to show around each difference.")
  var context = 3

  @Flag(help: "Print a line of JSON for each step of a difference and of its context.")
  var json = false

  @OptionGroup var decryption: DecryptionArguments

  func validate() throws {
    _ = try CaptureReading.filter(filter)
    if context < 0 { throw ValidationError("--context takes 0 or more") }
    if first == "-", second == "-" { throw ValidationError("only one of the two captures can be standard input") }
  }

  func run() throws {
    let difference = TranscriptDifference(try transcript(of: first), try transcript(of: second))
    if difference.isEmpty {
      if !json { Terminal.print("the captures are the same: \(difference.lines.count) steps") }
      return
    }
    if !json {
      Terminal.print("\(Terminal.styled("--- " + first, .red))")
      Terminal.print("\(Terminal.styled("+++ " + second, .green))")
    }
    for (place, hunk) in difference.hunks(context: context).enumerated() {
      if place > 0, !json { Terminal.print("\(Terminal.styled("…", .dim))") }
      for line in hunk { json ? Terminal.print(json: Self.json(line)) : print(line) }
    }
    throw ExitCode.failure
  }

  private func transcript(of file: String) throws -> Transcript {
    let filter = try CaptureReading.filter(filter)
    var decoder = PacketDecoder()
    var transcript = SidedTranscript(comparingValues: values, takingAll: filter?.choosesView ?? false)
    try CaptureReading.forEachRecord(of: .file(file), &decoder, keys: decryption.keys()) { summary, record, decoder in
      let isWanted = filter?.accepts(summary, record, decoder) ?? true
      transcript.add(summary, record, decoder, isWanted: isWanted)
    }
    let chosen = transcript.chosen
    if chosen.isCut {
      Terminal.note(
        "\(file): only the first \(Transcript.limit) steps are compared; use --filter to leave out what does "
          + "not matter")
    }
    return chosen
  }

  private func print(_ line: TranscriptDifference.Line) {
    let step = line.first ?? line.second
    let number = PacketWords.padded("#\(step?.number ?? 0)", 7)
    let count = step.flatMap { $0.count > 1 ? "  (\($0.count) times)" : nil } ?? ""
    let text = "\(number) \(line.text)\(count)"
    switch (line.first, line.second) {
    case (_?, _?): Terminal.print("  \(text)")
    case (_?, nil): Terminal.print("\(Terminal.styled("- " + text, .red))")
    default: Terminal.print("\(Terminal.styled("+ " + text, .green))")
    }
  }

  private static func json(_ line: TranscriptDifference.Line) -> ProfileValue {
    .object([
      "in": .string(line.isCommon ? "both" : line.first == nil ? "second" : "first"), "text": .string(line.text),
      "first": line.first.map { .int(Int64($0.number)) } ?? .null,
      "second": line.second.map { .int(Int64($0.number)) } ?? .null,
    ])
  }
}
