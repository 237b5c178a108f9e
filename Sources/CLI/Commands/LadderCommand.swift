import AccessoryProfile
import ArgumentParser
import Bench
import Glibc
import Understudy
import VirtualRadio

struct LadderCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "ladder",
    abstract: "Climb the throughput ladder of WWDC 2017 session 712, from one write in two intervals to LE 2M.",
    discussion: """
      A central sends the same octets to the accessory of the profile `throughput` in eight ways. Everything is on the virtual \
      radio, under virtual time: the figures are those of the link layer, whatever this machine is doing.
      """)

  @Option(help: "How many octets each step sends.")
  var octets = Ladder.defaultOctets

  @Option(name: .customLong("step"), help: "Play only this step; may be given several times.")
  var numbers: [Int] = []

  @Option(
    help: ArgumentHelp(
      "The accessory's controller. Known: \(ControllerConfiguration.presets.map(\.name).joined(separator: ", ")).",
      valueName: "name"),
    transform: { try Self.preset($0) })
  var preset: ControllerConfiguration = .full

  @Flag(help: "Let the central be as the phones of the talk: 7 packets and 7.5 ms in a connection event at the most.")
  var phone = false

  @Option(
    help: ArgumentHelp("Lose packets on the air: a share as 20%, or a pattern as LL....", valueName: "loss"),
    transform: { try Self.impairment($0) })
  var loss = PathImpairment()

  @Option(help: "The seed of everything random; the same seed gives the same figures.")
  var seed: UInt64 = 0

  @Option(help: ArgumentHelp("Draw a chart into this SVG file.", valueName: "file"))
  var plot: String?

  @Flag(help: "Print JSON, one line for each step.")
  var json = false

  private static func preset(_ name: String) throws -> ControllerConfiguration {
    guard let preset = ControllerConfiguration.named(name) else {
      let known = ControllerConfiguration.presets.map(\.name).joined(separator: ", ")
      throw ValidationError("there is no preset \(name) (known: \(known))")
    }
    return preset
  }

  private static func impairment(_ loss: String) throws -> PathImpairment {
    var impairment = PathImpairment()
    do throws(ImpairmentFieldError) { try impairment.set("loss", to: loss) } catch {
      throw ValidationError("it \(error.reason)")
    }
    return impairment
  }

  /// The steps that are played.
  private var steps: [LadderStep] {
    (phone ? Ladder.stepsOfTheTalk : Ladder.steps).filter { numbers.isEmpty || numbers.contains($0.number) }
  }

  func validate() throws {
    guard (1...100_000_000).contains(octets) else { throw ValidationError("--octets takes 1 to 100000000") }
    let known = Ladder.steps.map(\.number)
    guard numbers.allSatisfy(known.contains) else {
      throw ValidationError("--step takes a number from 1 to \(known.count)")
    }
  }

  func run() async throws {
    let profile = try ProfileArgument.load("throughput")
    var ladder = SimulatedLadder(profile, seed: seed)
    ladder.accessoryController = preset
    ladder.impairment = loss
    if phone { ladder.centralController = Ladder.phoneOfTheTalk }
    if !json { Terminal.print(Terminal.styled(LadderTable.head, .bold)) }
    var results: [StepResult] = []
    for step in steps {
      let result = ladder.play(step, octets: octets)
      results.append(result)
      print(result)
    }
    if let plot { try draw(results, to: plot) }
    guard results.allSatisfy({ $0.transfer != nil }) else { throw ExitCode.failure }
  }

  private func print(_ result: StepResult) {
    if json { return Terminal.print(result.json.jsonText) }
    for line in LadderTable.lines(for: result) { Terminal.print(line) }
  }

  private func draw(_ results: [StepResult], to path: String) throws {
    guard let file = fopen(path, "w") else { throw unwritable(path) }
    let isWritten = fputs(LadderChart.svg(results), file) >= 0
    guard fclose(file) == 0, isWritten else { throw unwritable(path) }
  }

  private func unwritable(_ path: String) -> ExitCode {
    Terminal.error("cannot write \(path): \(String(cString: strerror(errno)))")
    return ExitStatus.inputOutput
  }
}
