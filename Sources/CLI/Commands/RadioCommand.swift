import AccessoryProfile
import ArgumentParser
import Transport
import Understudy

struct RadioCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "radio",
    abstract: "Run the virtual radio alone: every host that connects to a port gets a controller on the same air.")

  @Option(help: "How many TCP ports to open.")
  var ports = 2

  @Option(name: .customLong("port"), help: "The first port; the others follow. 0 takes free ones.")
  var firstPort: UInt16 = 0

  @Option(help: "The seed of everything random on the air.")
  var seed: UInt64 = 0

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...100).contains(ports) else { throw ValidationError("--ports takes 1 to 100") }
    guard firstPort == 0 || Int(firstPort) + ports <= 65_536 else {
      throw ValidationError("\(ports) ports from \(firstPort) on go beyond 65,535")
    }
  }

  func run() async throws {
    let stop = StopSignal()
    do throws(TransportError) {
      let loop = try PollLoop(name: "radio")
      try loop.start()
      let radio = RadioHub(loop: loop, seed: seed)
      var open: [UInt16] = []
      for index in 0..<UInt16(ports) {
        open.append(try await radio.openPort(port: firstPort == 0 ? 0 : firstPort + index))
      }
      announce(open)
      await stop.wait()
      await radio.close()
      loop.stopAndWait()
    } catch {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
  }

  private func announce(_ open: [UInt16]) {
    if json {
      let event = ProfileValue.object([
        "event": .string("ready"), "ports": .array(open.map { .int(Int64($0)) }),
      ])
      Terminal.print(event.jsonText)
    } else {
      Terminal.print("The virtual radio is on. Attach HCI hosts (H4 over TCP) to:")
      for port in open { Terminal.print("  tcp-client:127.0.0.1:\(port)") }
      Terminal.print("Stop it with Control-C.")
    }
  }
}
