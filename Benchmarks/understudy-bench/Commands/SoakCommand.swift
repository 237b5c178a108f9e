import AccessoryProfile
import ArgumentParser
import BLECore
import Bench
import Glibc
import Transport
import Understudy
import VirtualRadio

struct SoakCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "soak",
    abstract: "Run an accessory and its centrals for days, and check everything that they do.",
    discussion: """
      It exercises connections, reads, writes, notifications, channels, and every way in which a session can end, from a \
      disconnection to a controller reset. Time is virtual unless --real is given: a week takes a few minutes.
      """)

  @Argument(help: "The profile (default: `soak`). For others, only what every accessory must do is checked.")
  var profile = "soak"

  @Option(name: .customLong("for"), help: "How long, such as 7d, 12h or 90s.", transform: { try Self.runningTime($0) })
  var length: Duration?

  @Option(help: "The seed for everything random; the same seed gives the same report.")
  var seed: UInt64 = 0

  @Option(help: "The number of centrals, 1 to \(SoakSettings.mostCentrals).")
  var centrals = 1

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp("Impair every path of the radio: loss=20%, ber=1e-5.", valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  @Flag(
    help: ArgumentHelp(
      "Whether to run in real time, on pseudoterminals of a virtual radio or on boards, instead of virtual "
        + "time."))
  var timing = SoakTiming.virtual

  @Option(
    help: ArgumentHelp("The board that runs the accessory, as for `run`.", valueName: "address"),
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress?

  @Option(
    help: ArgumentHelp("The board that runs the central.", valueName: "address"),
    transform: { try ControllerAddress(parsing: $0) })
  var central: ControllerAddress?

  @Flag(help: "Pause for only a few seconds at most between sessions.")
  var busy = false

  @Flag(help: "Print JSON.")
  var json = false

  /// The default duration of a soak in virtual time.
  private static let week = Duration.seconds(7 * 86_400)
  /// The default duration of a soak in real time.
  private static let hour = Duration.seconds(3600)

  func validate() throws {
    guard (1...SoakSettings.mostCentrals).contains(centrals) else {
      throw ValidationError("--centrals takes 1 to \(SoakSettings.mostCentrals)")
    }
    guard impairments.allSatisfy({ if case .everywhere = $0 { true } else { false } }) else {
      throw ValidationError("--impair takes no names here; it concerns every path")
    }
    guard (controller == nil) == (central == nil) else {
      throw ValidationError("--controller and --central go together: give both, or neither")
    }
    guard controller == nil || (timing == .real && centrals == 1 && impairments.isEmpty) else {
      throw ValidationError("boards need --real, with one central and without --impair")
    }
  }

  func run() async throws {
    let settings = SoakSettings(
      duration: length ?? (timing == .real ? Self.hour : Self.week), seed: seed, centrals: centrals,
      pace: busy || timing == .real ? .busy : .life)
    let profile = try Profile.load(argument: profile)
    let report = timing == .real ? try await runReal(profile, settings) : try runVirtual(profile, settings)
    try Self.print(report, json: json)
  }

  private static func runningTime(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration > .zero else {
      throw ValidationError("give a time with its unit, such as 30s, 5min, 12h or 7d")
    }
    return duration
  }

  private func runVirtual(_ profile: Profile, _ settings: SoakSettings) throws -> SoakReport {
    var soak = SimulatedSoak(profile, settings)
    for case .everywhere(let impairment) in impairments { soak.impairment = impairment }
    let progress = SoakProgressLine(settings)
    defer { progress.end() }
    return try soak.run { progress.show($0) }
  }

  private func runReal(_ profile: Profile, _ settings: SoakSettings) async throws -> SoakReport {
    let progress = SoakProgressLine(settings)
    defer { progress.end() }
    let loop = try PollLoop(name: "soak")
    try loop.start()
    defer { loop.stopAndWait() }
    let soak = try await lineSoak(profile, settings, on: loop)
    return try await soak.run(on: loop) { progress.show($0) }
  }

  /// Returns the soak on the given boards, or on a virtual radio.
  private func lineSoak(_ profile: Profile, _ settings: SoakSettings, on loop: PollLoop) async throws -> LineSoak {
    if let controller, let central {
      return LineSoak(profile, settings, accessory: controller, centrals: [central])
    }
    let radio = RadioHub(loop: loop, seed: seed)
    for impairment in impairments { await radio.impair(impairment) }
    var soak = try await LineSoak(profile, settings, on: radio)
    soak.toleratesLoss = !impairments.isEmpty
    return soak
  }

  private static func print(_ report: SoakReport, json: Bool) throws {
    if json {
      report.json.printLine()
    } else {
      for line in SoakTable.lines(for: report) { Swift.print(line) }
    }
    guard report.isClean else { throw ExitCode.failure }
  }
}

/// The clock that a soak follows.
enum SoakTiming: String, EnumerableFlag { case virtual, real }
