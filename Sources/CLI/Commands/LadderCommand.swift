import AccessoryProfile
import ArgumentParser
import BLECore
import Bench
import Glibc
import Transport
import Understudy
import VirtualRadio

struct LadderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ladder",
    abstract: "Measure the eight steps of the throughput ladder from WWDC 2017 session 712, from a write that takes "
      + "two intervals to LE 2M.",
    discussion: """
      A central sends the same octets in eight ways to an accessory with the profile `throughput`. Everything runs on the virtual \
      radio, in virtual time, so the figures are those of the link layer, whatever else this machine is doing. With \
      --controller and --central it runs on two boards, in real time.

      With --notify, the accessory sends notifications one after another. The rows have different ATT MTUs, to show the gain of a \
      larger one, with data PDUs of 27 and of 251 octets.
      """)

  @Option(help: "The number of octets that each step sends.")
  var octets = Ladder.defaultOctets

  @Option(name: .customLong("step"), help: "Run only this step; may be repeated.")
  var numbers: [Int] = []

  @Flag(help: "Measure notifications with several ATT MTUs instead of the ladder, on the virtual radio.")
  var notify = false

  @Option(
    help: ArgumentHelp("The board that runs the accessory, as for `run`.", valueName: "address"),
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress?

  @Option(
    help: ArgumentHelp("The board that runs the central.", valueName: "address"),
    transform: { try ControllerAddress(parsing: $0) })
  var central: ControllerAddress?

  @Option(
    help: ArgumentHelp(
      "The accessory's virtual controller. Known: \(JoiningPlace.presets).",
      valueName: "name"),
    transform: { try JoiningPlace.preset($0) })
  var preset: ControllerConfiguration?

  @OptionGroup var persona: PersonaArguments

  @Flag(help: "Limit the central like the phones in the talk: at most 7 packets and 7.5 ms in a connection event.")
  var phone = false

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp(
      "Impair every path of the radio: loss=20%, loss=LL..., ber=1e-5; may be repeated.",
      valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  @Option(help: "The seed for everything random; the same seed gives the same figures.")
  var seed: UInt64 = 0

  @Option(help: ArgumentHelp("Draw a chart into this SVG file.", valueName: "file"))
  var plot: String?

  @Flag(help: "Print JSON, one line for each step.")
  var json = false

  /// The steps to run.
  private var steps: [LadderStep] {
    let all = phone ? Ladder.stepsOfTheTalk : Ladder.steps
    let chosen = all.filter { numbers.isEmpty || numbers.contains($0.number) }
    return persona.persona.map { persona in chosen.map { $0.limited(to: persona) } } ?? chosen
  }

  func validate() throws {
    guard (1...100_000_000).contains(octets) else { throw ValidationError("--octets takes 1 to 100000000") }
    let known = Ladder.steps.map(\.number)
    guard numbers.allSatisfy(known.contains) else {
      throw ValidationError("--step takes a number from 1 to \(known.count)")
    }
    guard (controller == nil) == (central == nil) else {
      throw ValidationError("--controller and --central go together: give both, or neither")
    }
    guard controller != .virtual, central != .virtual, central != .auto else {
      throw ValidationError("--controller and --central take addresses of boards")
    }
    guard controller == nil || (preset == nil && impairments.isEmpty && !phone) else {
      throw ValidationError("--preset, --impair and --phone are for the virtual radio")
    }
    if notify, controller != nil || !numbers.isEmpty || plot != nil || persona.persona != nil {
      throw ValidationError("--notify excludes --controller, --central, --step, --as and --plot")
    }
    try impairments.requireEverywhere()
  }

  func run() async throws {
    let profile = try ProfileArguments.load("throughput")
    if notify { return try measureNotifications(profile) }
    if !json { Terminal.print(Terminal.styled(LadderTable.head, .bold)) }
    let results =
      if let controller, let central {
        try await climb(BoardLadder(profile, accessory: controller, central: central, seed: seed))
      } else {
        climb(SimulatedLadder(profile, seed: seed))
      }
    if !json, let remark = LadderTable.remark(on: steps) { Terminal.print(TerminalText(remark)) }
    if let plot { try draw(results, to: plot) }
    guard results.allSatisfy({ $0.transfer != nil }) else { throw ExitCode.failure }
  }

  private func measureNotifications(_ profile: Profile) throws {
    var ladder = NotificationLadder(profile, seed: seed)
    if let preset { ladder.accessoryController = preset }
    for case .everywhere(let impairment) in impairments { ladder.impairment = impairment }
    if phone { ladder.centralController = Ladder.phoneOfTheTalk }
    if !json { Terminal.print(Terminal.styled(NotificationTable.head, .bold)) }
    var bases: [Int: Double] = [:]
    var hasFailed = false
    for rung in NotificationRung.all {
      let result = ladder.play(rung, octets: octets)
      let base = bases[rung.link.dataLength]
      if bases[rung.link.dataLength] == nil { bases[rung.link.dataLength] = result.kbps }
      hasFailed = hasFailed || result.kbps == nil
      if json {
        Terminal.print(json: result.json(base: base))
      } else {
        Terminal.print(TerminalText(NotificationTable.text(of: result, base: base)))
      }
    }
    if hasFailed { throw ExitCode.failure }
  }

  /// The limit of the central's connection events.
  private var events: EventLimit { phone ? EventLimit(Ladder.phoneOfTheTalk) : .none }

  private func climb(_ ladder: SimulatedLadder) -> [StepResult] {
    var ladder = ladder
    if let preset { ladder.accessoryController = preset }
    for case .everywhere(let impairment) in impairments { ladder.impairment = impairment }
    if phone { ladder.centralController = Ladder.phoneOfTheTalk }
    return steps.map { step in
      let result = ladder.play(step, octets: octets)
      print(result)
      return result
    }
  }

  private func climb(_ ladder: BoardLadder) async throws -> [StepResult] {
    let seconds = steps.reduce(0) { $0 + $1.shortestTime(octets: octets).inSeconds }
    if seconds > 60 {
      Terminal.note("This takes more than \(Int(seconds / 60)) min; use fewer --octets to shorten it.")
    }
    do {
      let loop = try PollLoop(name: "ladder")
      try loop.start()
      defer { loop.stopAndWait() }
      var results: [StepResult] = []
      try await ladder.play(steps, octets: octets, on: loop) { result in
        results.append(result)
        print(result)
      }
      return results
    } catch let error as TransportError {
      Terminal.error("\(error)")
    } catch let failure as AccessoryFailure {
      Terminal.error("\(failure)")
    }
    throw ExitStatus.unavailable
  }

  private func print(_ result: StepResult) {
    if json { return Terminal.print(json: result.json(events: events)) }
    for line in LadderTable.lines(for: result, events: events) { Terminal.print(TerminalText(line)) }
  }

  private func draw(_ results: [StepResult], to path: String) throws {
    guard let file = fopen(path, "w") else { throw unwritable(path) }
    let isWritten = fputs(LadderChart.svg(results, events: events), file) >= 0
    guard fclose(file) == 0, isWritten else { throw unwritable(path) }
  }

  private func unwritable(_ path: String) -> ExitCode {
    Terminal.error("cannot write \(path): \(String(cString: strerror(errno)))")
    return ExitStatus.inputOutput
  }
}
