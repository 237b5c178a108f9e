import ArgumentParser
import Transport
import Understudy

/// How a virtual radio is, and how hosts join it beside TCP ports, for every command that has one.
struct RadioArguments: ParsableArguments {
  @Option(
    name: .customLong("unix"),
    help: ArgumentHelp(
      "A Unix socket where hosts join the virtual radio; may be given several times.", valueName: "path"))
  var sockets: [String] = []

  @Option(
    name: .customLong("pty"),
    help: ArgumentHelp(
      """
      A link to a pseudo-terminal with a controller behind it, which a host opens as a serial port; may be given several \
      times.
      """, valueName: "link"))
  var links: [String] = []

  @Option(name: .customLong("ptys"), help: "How many pseudo-terminals to make without a link.")
  var terminals = 0

  @Option(
    name: .customLong("impair"),
    help: ArgumentHelp(
      "Make the virtual radio worse; may be given several times. Known: \(RadioImpairment.forms.joined(separator: "; ")).",
      valueName: "settings"),
    transform: { try RadioImpairment(parsing: $0) })
  var impairments: [RadioImpairment] = []

  /// Whether there is a place to join among them.
  var havePlaces: Bool { !sockets.isEmpty || !links.isEmpty || terminals != 0 }

  /// Whether any of them is given.
  var areGiven: Bool { havePlaces || !impairments.isEmpty }

  func validate() throws {
    guard (0...RadioHub.controllerLimit).contains(terminals) else {
      throw ValidationError("--ptys takes 0 to \(RadioHub.controllerLimit)")
    }
  }

  /// Makes the radio as it is wanted, and opens everything.
  func prepare(_ radio: RadioHub) async throws(TransportError) {
    for impairment in impairments { await radio.impair(impairment) }
    for path in sockets { try await radio.openSocket(path: path) }
    for link in links { _ = try await radio.openTerminal(link: link) }
    for _ in 0..<terminals { _ = try await radio.openTerminal() }
  }
}
