import AccessoryProfile
import ArgumentParser
import BLECore
import Decoding
import Glibc
import Understudy
import Viewing

struct TimelineCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "timeline",
    abstract: "Show the connections of a capture over time: parameters, PHY, data length, MTU, encryption.")

  @OptionGroup var source: CaptureSourceArguments

  @Flag(help: "Print JSON, one line for each connection.")
  var json = false

  @Option(help: ArgumentHelp("Draw them into this SVG file.", valueName: "file"))
  var svg: String?

  @OptionGroup var decryption: DecryptionArguments

  func run() async throws {
    let source = try await source.open()
    var decoder = PacketDecoder()
    var timeline = ConnectionTimeline()
    var fault: (any Error)?
    do {
      try CaptureReading.forEachRecord(of: source, &decoder, keys: decryption.keys()) { summary, record, _ in
        timeline.add(summary, record)
      }
    } catch {
      // What came before the damage is shown.
      fault = error
    }
    for connection in timeline.connections { json ? Terminal.print(json: connection.json) : print(connection) }
    if timeline.connections.isEmpty, !json { Terminal.note("there is no connection in the capture") }
    if let svg { try draw(timeline.connections, to: svg) }
    if let fault { throw fault }
  }

  private func print(_ connection: ConnectionTimeline.Connection) {
    let length = PacketWords.span(connection.duration)
    let head = "\(connection.name), from \(PacketWords.clock(connection.began)), \(length)"
    Terminal.print("\(Terminal.styled(head, .bold))")
    for entry in connection.entries {
      let since = PacketWords.padded("+" + PacketWords.span(connection.time(of: entry)), 14)
      let aspect = PacketWords.padded(entry.aspect.rawValue, 12)
      Terminal.print("  \(since)  \(Terminal.styled(aspect, .cyan))  \(entry.text)")
    }
  }

  private func draw(_ connections: [ConnectionTimeline.Connection], to path: String) throws {
    guard let file = fopen(path, "w") else { throw unwritable(path) }
    let isWritten = fputs(TimelineDrawing(connections).document, file) >= 0
    guard fclose(file) == 0, isWritten else { throw unwritable(path) }
  }

  private func unwritable(_ path: String) -> ExitCode {
    Terminal.error("cannot write \(path): \(String(cString: strerror(errno)))")
    return ExitStatus.inputOutput
  }
}

extension ConnectionTimeline.Connection {
  /// How people tell it from others.
  var name: String {
    let peer = address.map { ", " + DeviceAddress(bits: $0).description } ?? ""
    return "connection \(PacketWords.hex(UInt64(handle), isOnAir ? 8 : 4))\(peer)"
  }

  /// All that is known of it.
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
