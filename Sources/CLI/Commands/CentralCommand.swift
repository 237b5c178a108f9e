import AccessoryProfile
import ArgumentParser
import BLECore
import Bench
import Transport

/// A central for tests whose peripheral is another implementation. It reads commands as JSON lines from standard input, and prints events.
struct CentralCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "central",
    abstract: "Run a central that executes commands from standard input: for the project's own tests.",
    shouldDisplay: false)

  @Option(help: "The central's controller.", transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress

  @Option(help: "The seed of its random static address.")
  var seed: UInt64 = 0

  func run() async throws {
    let loop = try PollLoop(name: "understudy")
    try loop.start()
    let central = try CommandedCentral(controller, address: .randomStatic(from: 0xCE00 + seed), loop: loop) { event in
      Terminal.print(json: event)
    }
    do throws(TransportError) { try await central.start() } catch {
      Terminal.error("\(error)")
      throw ExitStatus.unavailable
    }
    for await line in Self.lines {
      do throws(ProfileValueError) { await central.perform(try ProfileValue(json: Array(line.utf8))) } catch {
        Terminal.error("\(error)")
      }
    }
    await central.stop()
    loop.stopAndWait()
  }

  /// The lines of standard input, read by a separate thread.
  private static var lines: AsyncStream<String> {
    AsyncStream { continuation in
      Task.detached {
        while let line = readLine() { continuation.yield(line) }
        continuation.finish()
      }
    }
  }
}
