import AccessoryProfile
import ArgumentParser
import Transport
import Understudy

struct ControllersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "controllers",
    abstract: "List the serial ports that may have a board, and this machine's Bluetooth adapters.",
    discussion: """
      A USB identity names the debug probe or the adapter, not the firmware. --probe opens each port and asks for a controller, \
      which resets it. Bluetooth adapters are only listed, because they may be in use.
      """)

  @Flag(help: "Open each port and ask whether it has a controller.")
  var probe = false

  @Flag(help: "Print a JSON array of ports and adapters.")
  var json = false

  func run() async throws {
    let ports = SerialPorts.list()
    let findings = try await findings(of: ports.filter { probe && $0.mayCarryController })
    let reports = ports.map { port in
      PortReport(port: port, answer: findings.first { $0.port == port }?.answer)
    }
    let adapters = BluetoothAdapter.list()
    if json { return Terminal.print(json: .array(reports.map(\.json) + adapters.map(\.json))) }
    guard !reports.isEmpty || !adapters.isEmpty else {
      Terminal.print("There is no USB serial port and no Bluetooth adapter.")
      Terminal.print(
        "  Check that the cable carries data, that it is in the right socket, and that the board is switched "
          + "on.")
      return Terminal.print("  Without a board, use --controller virtual, the built-in radio.")
    }
    for line in reports.flatMap(\.lines) + adapters.flatMap(\.lines) { Terminal.print(line) }
  }

  private func findings(of ports: [SerialPort]) async throws -> [PortFinding] {
    guard !ports.isEmpty else { return [] }
    do throws(TransportError) {
      let loop = try PollLoop(name: "controllers")
      try loop.start()
      let findings = await PortProbe.run(ports, loop: loop)
      loop.stopAndWait()
      return findings
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
  }
}
