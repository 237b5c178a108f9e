import AccessoryProfile
import ArgumentParser
import Transport
import Understudy
import VirtualRadio

/// How a virtual radio is, and how hosts join it beside TCP ports, for every command that has one.
struct RadioArguments: ParsableArguments {
  @Option(
    name: .customLong("unix"),
    help: ArgumentHelp(
      "A Unix socket where hosts join the virtual radio; may be given several times.", valueName: "path[=preset]"),
    transform: { try JoiningPlace(parsing: $0) })
  var sockets: [JoiningPlace] = []

  @Option(
    name: .customLong("pty"),
    help: ArgumentHelp(
      """
      A link to a pseudo-terminal with a controller behind it, which a host opens as a serial port; may be given several \
      times.
      """, valueName: "link[=preset]"),
    transform: { try JoiningPlace(parsing: $0) })
  var links: [JoiningPlace] = []

  @Option(
    help: ArgumentHelp(
      "What the controllers of the virtual radio are, where a place does not say. Known: \(JoiningPlace.presets).",
      valueName: "name"),
    transform: { try JoiningPlace.preset($0) })
  var preset: ControllerConfiguration?

  @Option(name: .customLong("ptys"), help: "How many pseudo-terminals to make without a link.")
  var terminals = 0

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp(
      "Make the virtual radio worse; may be given several times. Known: \(RadioImpairment.forms.joined(separator: "; ")).",
      valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  @Option(
    help: ArgumentHelp(
      "How fast the radio's time passes: real, fast, or a number of times as fast as real.",
      discussion: """
        fast jumps to the next thing that happens whenever nothing is to be done. Hosts that have joined keep their own \
        clocks: to them all timers on the air and of the accessory seem to run faster, theirs run as always.
        """,
      valueName: "speed"),
    transform: { try Self.pace($0) })
  var speed: LoopPace = .real

  @Option(
    help: ArgumentHelp(
      "With --speed fast: how long all joined hosts must have been silent before time jumps; 2ms if not given.",
      valueName: "time"),
    transform: { try Self.settle($0) })
  var settle: Duration?

  /// The pace of the loop that the radio is on.
  var pace: LoopPace {
    if case .fast = speed, let settle { .fast(settle: settle) } else { speed }
  }

  private static func pace(_ text: String) throws -> LoopPace {
    switch text {
    case "real": return .real
    case "fast": return .fast(settle: LoopPace.defaultSettle)
    default:
      guard let factor = Double(text), (0.01...1000).contains(factor) else {
        throw ValidationError("it wants real, fast, or a number from 0.01 to 1000")
      }
      return .scaled(factor)
    }
  }

  private static func settle(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration <= .seconds(10) else {
      throw ValidationError("it wants a time from 0 to 10 s with its unit, as 500us")
    }
    return duration
  }

  /// Whether there is a place to join among them.
  var havePlaces: Bool { !sockets.isEmpty || !links.isEmpty || terminals != 0 }

  /// Whether any of them is given.
  var areGiven: Bool { havePlaces || !impairments.isEmpty || speed != .real || preset != nil }

  func validate() throws {
    if settle != nil {
      guard case .fast = speed else { throw ValidationError("--settle needs --speed fast") }
    }
    guard (0...RadioHub.controllerLimit).contains(terminals) else {
      throw ValidationError("--ptys takes 0 to \(RadioHub.controllerLimit)")
    }
  }

  /// Makes the radio as it is wanted, and opens everything.
  func prepare(_ radio: RadioHub) async throws(TransportError) {
    for impairment in impairments { await radio.impair(impairment) }
    for place in sockets { try await radio.openSocket(path: place.text, configuration: place.preset) }
    for place in links { _ = try await radio.openTerminal(link: place.text, configuration: place.preset) }
    for _ in 0..<terminals { _ = try await radio.openTerminal() }
  }
}
