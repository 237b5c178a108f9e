import AccessoryProfile
import ArgumentParser
import BLECore
import CentralHost
import RealCentral
import Synchronization
import Transport
import UnderstudyCore

/// A central in real time that performs the commands of a person, a script or a program.
struct CentralCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "central",
    abstract:
      "Use other accessories as a central: scan, connect, discover, read, write, subscribe, pair, open channels.",
    discussion: """
      Commands come from standard input, one on each line; 'help' lists them. Each command ends before the next one begins. \
      With --json, each event is a line of JSON, as docs/events.md describes, and commands may be objects: \
      {"do": "read", "attribute": "battery-level"}.
      """)

  @Option(
    help: "The central's controller, such as serial:/dev/ttyACM0, hci:0, or an address that `understudy radio` prints.",
    transform: { try ControllerAddress(parsing: $0) })
  var controller: ControllerAddress

  @Option(name: .customLong("do"), help: "A command to perform instead of those on standard input; may be repeated.")
  var commands: [String] = []

  @Option(help: "The seed of its random static address.")
  var seed: UInt64 = 0

  @Flag(name: .customLong("br-edr"), help: "Use BR/EDR too, with the address of the controller.")
  var classic = false

  @Flag(help: "Print each event as a line of JSON.")
  var json = false

  func run() throws {
    let stage = try LineStage.interruptible(controller)
    var configuration = CentralConfiguration(randomAddress: .randomStatic(from: 0xCE00 + seed))
    configuration.usesClassic = classic
    let hasFailed: Bool
    do {
      hasFailed = try stage.perform(configuration) { central in
        try carryOut(CentralShell(central, report: report), on: stage)
      }
    } catch {
      Terminal.error("\(controller): \(TerminalText(String(describing: error)))")
      throw ExitStatus.unavailable
    }
    if hasFailed { throw ExitCode(1) }
  }

  private func report(_ report: CentralShell.Report) {
    switch report {
    case .event(let event): if json { Terminal.print(json: event.json) }
    case .line(let line): if !json { Terminal.print(TerminalText(line)) }
    }
  }

  /// Performs all commands. Returns whether one of them has failed.
  private func carryOut(_ shell: CentralShell, on stage: LineStage) throws -> Bool {
    var hasFailed = false
    func perform(_ line: String) throws -> Bool {
      do { return try shell.perform(line) } catch  where stage.failure == nil {
        hasFailed = true
        if json {
          Terminal.print(
            json: ["event": "fault", "fault": "order-refused", "reason": .string("\(error)")])
        } else {
          Terminal.error(TerminalText(String(describing: error)))
        }
        return true
      }
    }
    if !commands.isEmpty {
      for command in commands where !hasFailed { if try !perform(command) { break } }
      return hasFailed
    }
    let input = LineInput(wake: { stage.wake() })
    input.start()
    while stage.failure == nil, !stage.isInterrupted {
      stage.run(until: { input.isReady }, limit: .seconds(86_400))
      guard let line = input.next() else {
        if input.hasEnded { break }
        continue
      }
      if try !perform(line) { break }
    }
    return hasFailed
  }
}

/// The lines of standard input, read by a thread.
private final class LineInput: Sendable {
  private struct State {
    var lines: [String] = []
    var hasEnded = false
  }

  private let state = Mutex(State())
  private let wake: @Sendable () -> Void

  init(wake: @escaping @Sendable () -> Void) { self.wake = wake }

  func start() {
    // A task would keep one of the few threads of tasks while it waits, and signals are handled by another.
    guard spawnThread({ [self] in read() }) != 0 else { return }
    state.withLock { $0.hasEnded = true }
  }

  private func read() {
    while let line = readLine() {
      state.withLock { $0.lines.append(line) }
      wake()
    }
    state.withLock { $0.hasEnded = true }
    wake()
  }

  /// Whether there is a line, or the input has ended.
  var isReady: Bool { state.withLock { !$0.lines.isEmpty || $0.hasEnded } }

  /// Whether all lines were taken and no more follow.
  var hasEnded: Bool { state.withLock { $0.lines.isEmpty && $0.hasEnded } }

  func next() -> String? { state.withLock { $0.lines.isEmpty ? nil : $0.lines.removeFirst() } }
}
