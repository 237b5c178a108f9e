import AccessoryProfile
import ArgumentParser
import Transport
import Understudy
import VirtualRadio

/// How a virtual radio is, and where hosts join it, for every command that has one.
struct RadioArguments: ParsableArguments {
  @Option(
    name: .customLong("join"),
    help: ArgumentHelp(
      """
      Where other hosts join the virtual radio, in place of a free TCP port; may be given several times. A terminal is opened as a \
      serial port. Known: \(JoiningPlace.forms).
      """, valueName: "place"),
    transform: { try JoiningPlace(parsing: $0) })
  var places: [JoiningPlace] = []

  @Option(
    help: ArgumentHelp(
      "What the controllers of the virtual radio are, where a place does not say. Known: \(JoiningPlace.presets).",
      valueName: "name"),
    transform: { try JoiningPlace.preset($0) })
  var preset: ControllerConfiguration?

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

  /// Whether any of them is given.
  var areGiven: Bool { !places.isEmpty || !impairments.isEmpty || speed != .real || preset != nil }

  func validate() throws {
    if settle != nil {
      guard case .fast = speed else { throw ValidationError("--settle needs --speed fast") }
    }
  }

  /// Makes the radio as it is wanted, and opens the places to join: so many free ports where none is given.
  func prepare(_ radio: RadioHub, freePorts: Int) async throws(TransportError) {
    for impairment in impairments { await radio.impair(impairment) }
    for place in places.isEmpty ? Array(repeating: .freePort, count: freePorts) : places {
      try await place.open(on: radio)
    }
  }
}

extension [RadioImpairment] {
  /// Refuses those of single paths and controllers, where a command has no names for them.
  func requireEverywhere() throws {
    guard allSatisfy({ if case .everywhere = $0 { true } else { false } }) else {
      throw ValidationError("--impair is for every path here: no names")
    }
  }
}
