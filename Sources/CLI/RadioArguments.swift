import ArgumentParser
import Transport
import Understudy

/// How hosts join a virtual radio beside TCP ports, for every command that has one.
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

  /// Whether any of them is given.
  var isGiven: Bool { !sockets.isEmpty || !links.isEmpty || terminals != 0 }

  func validate() throws {
    guard (0...RadioHub.controllerLimit).contains(terminals) else {
      throw ValidationError("--ptys takes 0 to \(RadioHub.controllerLimit)")
    }
  }

  /// Opens everything.
  func open(on radio: RadioHub) async throws(TransportError) {
    for path in sockets { try await radio.openSocket(path: path) }
    for link in links { _ = try await radio.openTerminal(link: link) }
    for _ in 0..<terminals { _ = try await radio.openTerminal() }
  }
}
