import AccessoryProfile
import ArgumentParser
import Decoding
import Understudy
import Viewing

struct CaptureDiffCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "diff",
    abstract: "Say what one capture has and another has not: why one phone works, and the other does not.",
    discussion: """
      Both are compared as transcripts: what central and peripheral say over ATT, the Security Manager and signalling, and what \
      becomes of the connection. Times, handles, addresses, numbers of channels, keys and random values are left out, and what \
      happens several times in a row counts as once. Exit code 1 when they differ.
      """)

  @Argument(help: "The first capture; - is standard input.")
  var first: String

  @Argument(help: "The second capture.")
  var second: String

  @Option(help: ArgumentHelp("Compare only packets that this is true of.", valueName: "expression"))
  var filter: String?

  @Flag(help: "Compare the values that are read and told of, too.")
  var values = false

  @Option(help: "How many common steps are shown around a difference.")
  var context = 3

  @Flag(help: "Print a line of JSON for each step of a difference and its context.")
  var json = false

  @OptionGroup var decryption: DecryptionArguments

  func validate() throws {
    _ = try CaptureReading.filter(filter)
    if context < 0 { throw ValidationError("--context takes 0 or more") }
    if first == "-", second == "-" { throw ValidationError("only one of both can be standard input") }
  }

  func run() throws {
    let difference = TranscriptDifference(try transcript(of: first), try transcript(of: second))
    if difference.isEmpty {
      if !json { Terminal.print("both say the same: \(difference.lines.count) steps") }
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
    var transcript = Transcript(comparingValues: values)
    try CaptureReading.forEachRecord(of: .file(file), &decoder, keys: decryption.keys()) { summary, record, decoder in
      if filter?.accepts(summary, record, decoder) ?? true { transcript.add(summary, record, decoder) }
    }
    if transcript.isCut {
      Terminal.note(
        "\(file): only the first \(Transcript.limit) steps are compared; --filter leaves out what does not matter")
    }
    return transcript
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
