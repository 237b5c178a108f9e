import AccessoryProfile
import ArgumentParser
import BLECore
import Capture
import Decoding
import Understudy
import Viewing

struct TimelineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Show the connections of a capture over time: parameters, PHY, data length, MTU, encryption.")

  @OptionGroup var source: CaptureSourceArguments

  @Flag(help: "Print JSON, one line for each connection.")
  var json = false

  @Option(help: ArgumentHelp("Also draw the connections into this SVG file.", valueName: "file"))
  var svg: String?

  @OptionGroup var decryption: DecryptionArguments

  func run() async throws {
    let source = try await source.open()
    if let svg { try source.refuseOutput(svg, "--svg") }
    var decoder = PacketDecoder()
    var timeline = ConnectionTimeline()
    var fault: (any Error)?
    do {
      try CaptureReading.forEachRecord(of: source, &decoder, keys: decryption.keys()) { summary, record, _ in
        timeline.add(summary, record)
      }
    } catch {
      // Show the packets before the damage.
      fault = error
    }
    for connection in timeline.connections { json ? Terminal.print(json: connection.json) : print(connection) }
    if timeline.connections.isEmpty, !json { Terminal.note("there is no connection in the capture") }
    if let svg { try draw(timeline.connections, to: svg) }
    if let fault { throw fault }
  }

  private func print(_ connection: ConnectionTimeline.Connection) {
    Terminal.print("\(Terminal.styled(connection.headline, .bold))")
    for entry in connection.entries {
      let columns = connection.columns(of: entry)
      Terminal.print("  \(columns.since)  \(Terminal.styled(columns.aspect, .cyan))  \(columns.text)")
    }
  }

  private func draw(_ connections: [ConnectionTimeline.Connection], to path: String) throws {
    do throws(CaptureFailure) {
      var file = try OutputFile(creating: path)
      try file.write(Array(TimelineDrawing(connections).document.utf8).span)
      try file.finish()
    } catch {
      Terminal.error("cannot write \(path): \(error.reason)")
      throw ExitStatus.inputOutput
    }
  }
}

extension ConnectionTimeline.Connection {
  /// The connection for JSON.
  var json: ProfileValue {
    .object([
      "source": .int(Int64(source)), "handle": .int(Int64(handle)), "on-air": .bool(isOnAir),
      "address": address.map { .string(DeviceAddress(bits: $0).description) } ?? .null,
      "role": isCentral.map { .string($0 ? "central" : "peripheral") } ?? .null,
      "began": .int(began), "latest": .int(latest),
      "entries": .array(
        entries.map { entry in
          .object([
            "number": .int(Int64(entry.number)), "nanoseconds": .int(entry.nanoseconds),
            "aspect": .string(entry.aspect.rawValue), "text": .string(entry.text),
          ])
        }),
    ])
  }
}
