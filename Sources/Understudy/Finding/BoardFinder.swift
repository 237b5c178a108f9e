import Transport

/// Chooses the controller that `auto` stands for.
enum BoardFinder {
  /// Returns the port to use: the only one that may have a controller, or, among several, the only one on which a controller answers.
  static func automatic(on loop: PollLoop) async throws(TransportError) -> SerialSettings {
    let ports = SerialPorts.list()
    let candidates = ports.filter(\.mayCarryController)
    guard let first = candidates.first else { throw nothing(among: ports) }
    guard candidates.count > 1 else { return SerialSettings(path: first.path) }
    return try only(among: await PortProbe.run(candidates, loop: loop))
  }

  /// Returns the settings of the only controller among the findings.
  static func only(among findings: [PortFinding]) throws(TransportError) -> SerialSettings {
    let found = findings.compactMap { finding in
      if case .controller(_, let settings) = finding.answer { settings } else { nil }
    }
    if found.count == 1, let settings = found.first { return settings }
    let list = findings.map { "\($0.port.path) (\($0.answer.text))" }.joined(separator: ", ")
    throw TransportError(
      kind: found.isEmpty ? .unreachable : .ambiguous, what: "cannot choose a controller for", place: "auto",
      why: (found.isEmpty ? "no controller answers on the serial ports: " : "several controllers answer: ")
        + list,
      advice: "name the port: --controller serial:PATH")
  }

  static func nothing(among ports: [SerialPort]) -> TransportError {
    let bootloader = ports.first { $0.identity?.role == .bootloader }
    let why =
      bootloader.map { "the only USB serial port, \($0.path), is a bootloader" }
      ?? "there is no USB serial port"
    return TransportError(
      kind: .notFound, what: "cannot choose a controller for", place: "auto", why: why,
      advice: bootloader == nil
        ? "plug in a board, or name the port: --controller serial:PATH"
        : "put firmware on the board (Hardware/README.md), or name the port: --controller serial:PATH")
  }
}

extension PortFinding.Answer {
  /// The answer as text.
  public var text: String {
    switch self {
    case .controller(let identity, let settings):
      "a controller, HCI \(identity.version), \(identity.manufacturer)"
        + (identity.firmware.map { ", \($0)" } ?? "") + ", at \(settings.baud) bit/s"
        + (settings.flowControl ? "" : " without flow control")
    case .garbled(let octets): "no controller: it sent \(octets) octets that are not HCI"
    case .silent: "silent"
    case .unavailable(let error): error.why
    }
  }
}
