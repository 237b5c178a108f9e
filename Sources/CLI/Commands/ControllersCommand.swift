import AccessoryProfile
import ArgumentParser
import Transport
import Understudy

struct ControllersCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "controllers",
    abstract: "List the serial ports that boards may be behind, and the Bluetooth adapters of this machine.",
    discussion: """
      A USB identity names the debug probe or the adapter, not the firmware: --probe opens each port and asks. What is \
      running there is reset by that. Bluetooth adapters are listed only: they may be in use.
      """)

  @Flag(help: "Open each port and ask whether a controller is behind it.")
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
      Terminal.print("There is no serial port behind USB, and no Bluetooth adapter.")
      Terminal.print("  Is the board's cable one for data, in the right socket, and the board switched on?")
      return Terminal.print("  Without a board: --controller virtual, the built-in radio.")
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
