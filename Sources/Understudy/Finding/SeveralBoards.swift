import Transport

extension BoardFinder {
  /// Returns the ports of `count` boards, in the order of their serial numbers, if exactly that many
  /// controllers answer; or the only port on which a controller answers.
  static func automatic(_ count: Int, on loop: PollLoop) async throws(TransportError) -> [SerialSettings] {
    let ports = SerialPorts.list()
    let candidates = ports.filter(\.mayCarryController)
    guard !candidates.isEmpty else { throw nothing(among: ports) }
    return try boards(count, among: await PortProbe.run(candidates, loop: loop))
  }

  /// Returns the settings of the controllers among the findings, if there are `count` of them, or one.
  static func boards(_ count: Int, among findings: [PortFinding]) throws(TransportError) -> [SerialSettings] {
    let found = findings.sorted { $0.port.rank < $1.port.rank }.compactMap { finding in
      if case .controller(_, let settings) = finding.answer { settings } else { nil }
    }
    guard found.count != count, found.count != 1 else { return found }
    let list = findings.map { "\($0.port.path) (\($0.answer.text))" }.joined(separator: ", ")
    throw TransportError(
      kind: found.count < count ? .unreachable : .ambiguous, what: "cannot choose \(count) controllers for",
      place: "auto", why: "controllers answer on \(found.count) of the serial ports: \(list)",
      advice: found.count < count
        ? "plug in more boards, or name the port of each, or one for all: --controller serial:PATH"
        : "name the port of each, or one for all: --controller serial:PATH")
  }
}

extension SerialPort {
  /// An order that is the same at every start, whatever path the board has.
  fileprivate var rank: (String, UInt8, String) { (serialNumber ?? "", interface ?? 0, path) }
}
