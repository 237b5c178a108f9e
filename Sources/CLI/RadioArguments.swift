import AccessoryProfile
import ArgumentParser
import Transport
import Understudy
import VirtualRadio

/// The options of a virtual radio, for every command that has one.
struct RadioArguments: ParsableArguments {
  @Option(
    name: .customLong("join"),
    help: ArgumentHelp(
      """
      Where other hosts join the virtual radio, instead of a free TCP port; may be repeated. Hosts open a pseudoterminal like a \
      serial port. Known: \(JoiningPlace.forms).
      """, valueName: "place"),
    transform: { try JoiningPlace(parsing: $0) })
  var places: [JoiningPlace] = []

  @Option(
    help: ArgumentHelp(
      "The kind of virtual controllers, for places that do not name one. Known: \(JoiningPlace.presets).",
      valueName: "name"),
    transform: { try JoiningPlace.preset($0) })
  var preset: ControllerConfiguration?

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp(
      "Impair the virtual radio; may be repeated. Known: \(RadioImpairment.forms.joined(separator: "; ")).",
      valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  @Option(
    help: ArgumentHelp(
      "The speed of the radio's time: real, fast, or a factor.",
      discussion: """
        fast jumps to the next event whenever there is nothing to do. Hosts that have joined keep their own clocks: to them, \
        the timers of the radio and of the accessory seem to run faster.
        """,
      valueName: "speed"),
    transform: { try Self.pace($0) })
  var speed: LoopPace = .real

  @Option(
    help: ArgumentHelp(
      "With --speed fast: how long all joined hosts must be silent before time jumps (default: 2ms).",
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
        throw ValidationError("it takes real, fast, or a number from 0.01 to 1000")
      }
      return .scaled(factor)
    }
  }

  private static func settle(_ text: String) throws -> Duration {
    guard let duration = Durations.parse(text), duration <= .seconds(10) else {
      throw ValidationError("it takes a time from 0 to 10 s with a unit, such as 500us")
    }
    return duration
  }

  /// Whether any of the options is given.
  var areGiven: Bool { !places.isEmpty || !impairments.isEmpty || speed != .real || preset != nil }

  func validate() throws {
    if settle != nil {
      guard case .fast = speed else { throw ValidationError("--settle needs --speed fast") }
    }
  }

  /// Applies the options to the radio, and opens the places to join, by default `freePorts` free ports.
  func prepare(_ radio: RadioHub, freePorts: Int) async throws(TransportError) {
    for impairment in impairments { await radio.impair(impairment) }
    for place in places.isEmpty ? Array(repeating: .freePort, count: freePorts) : places {
      try await place.open(on: radio)
    }
  }
}

extension [RadioImpairment] {
  /// Throws if there are impairments of single paths or controllers, for commands that have no names for them.
  func requireEverywhere() throws {
    guard allSatisfy({ if case .everywhere = $0 { true } else { false } }) else {
      throw ValidationError("--impair applies to every path here: give no names")
    }
  }
}
