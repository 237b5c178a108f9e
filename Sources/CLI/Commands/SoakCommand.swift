import AccessoryProfile
import ArgumentParser
import BLECore
import Bench
import Glibc
import Understudy
import VirtualRadio

struct SoakCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Let an accessory and its centrals live for days, and check everything that they do.",
    discussion: """
      Connections, reads, writes, notifications, channels, and every way in which a session can end, from a disconnection to a \
      controller that resets. Time is virtual unless --real is given: a week takes some minutes.
      """)

  @Argument(help: "The profile; `soak` if not given. Of others only what every accessory must do is checked.")
  var profile = "soak"

  @Option(name: .customLong("for"), help: "For how long, as 7d, 12h or 90s.", transform: { try Self.duration($0) })
  var length: Duration?

  @Option(help: "The seed of everything random; the same seed gives the same report.")
  var seed: UInt64 = 0

  @Option(help: "How many centrals there are, 1 to \(SoakSettings.mostCentrals).")
  var centrals = 1

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp("Make every path of the radio worse: loss=20%, ber=1e-5.", valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  @Flag(help: "Leave no more than a few seconds between sessions.")
  var busy = false

  @Flag(help: "Print JSON.")
  var json = false

  private static func duration(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration >= .seconds(1) else {
      throw ValidationError("it wants a time as 7d, 12h or 90s")
    }
    return duration
  }

  /// The virtual time of a soak that is not told how long it is to be.
  private static let week = Duration.seconds(7 * 86_400)

  func validate() throws {
    guard (1...SoakSettings.mostCentrals).contains(centrals) else {
      throw ValidationError("--centrals takes 1 to \(SoakSettings.mostCentrals)")
    }
    guard impairments.allSatisfy({ if case .everywhere = $0 { true } else { false } }) else {
      throw ValidationError("--impair is for every path here: no names")
    }
  }

  func run() async throws {
    let settings = SoakSettings(
      duration: length ?? Self.week, seed: seed, centrals: centrals, pace: busy ? .busy : .life)
    var soak = SimulatedSoak(try ProfileArguments.load(profile), settings)
    for case .everywhere(let impairment) in impairments { soak.impairment = impairment }
    var printer = ProgressPrinter()
    let report = try soak.run { printer.show(SoakTable.line(for: $0, of: settings)) }
    printer.end()
    try Self.print(report, json: json)
  }

  private static func print(_ report: SoakReport, json: Bool) throws {
    if json {
      Terminal.print(report.json.jsonText)
    } else {
      for line in SoakTable.lines(for: report) { Terminal.print(line) }
    }
    guard report.isClean else { throw ExitCode.failure }
  }
}
