import AccessoryProfile
import ArgumentParser
import ControlAPI
import Glibc
import Understudy

struct ConsoleCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "console",
    abstract: "Give commands to an accessory that runs with --http.",
    discussion: """
      Commands are the requests of the control API in words, such as `read level`, `set level 80`, `press knob`, \
      `fault { on: { read: level }, do: { error: 0x80 } }`, `questions`, `answer 3 accept=true`, `connections 0 rssi`, `air`; \
      `help` lists all of them. On a terminal, Tab completes words, and the arrow keys recall lines. Elsewhere each line is a \
      command, and each answer a line of JSON; the first command that fails ends the console.
      """)

  @Argument(
    help: ArgumentHelp(
      """
      The accessory: its name or its profile's name if you run it on this machine; otherwise the address of its control API, \
      followed by its name if several accessories run there.
      """,
      valueName: "name or http://host:port[/name]"),
    transform: { try AttachedAccessory(parsing: $0) })
  var accessory: AttachedAccessory

  @Option(
    name: .customShort("c"),
    help: ArgumentHelp(
      "A command to perform instead of those on standard input; may be repeated.", valueName: "command"))
  var commands: [String] = []

  func run() throws {
    do {
      let found = try RunningAccessory.found(accessory)
      let console = Console(client: found.client, path: found.path)
      if !commands.isEmpty {
        for command in commands { try perform(command, on: console, place: nil) }
      } else if let terminal = ConsoleTerminal(prompt: "\(found.name)> ") {
        converse(terminal, console)
      } else {
        var number = 0
        while let line = readLine() {
          number += 1
          guard try perform(line, on: console, place: "line \(number): ") else { return }
        }
      }
    } catch let failure as ControlClient.Failure {
      Terminal.error("\(failure)")
      throw ExitStatus.unavailable
    }
  }

  /// Performs a command. Returns false for a command that ends the console.
  @discardableResult
  private func perform(_ line: String, on console: Console, place: String?) throws -> Bool {
    switch console.perform(line) {
    case .nothing: return true
    case .end: return false
    case .text(let lines): for line in lines { Terminal.print(TerminalText(line)) }
    case .answer(let value): Terminal.print(json: value)
    case .fault(let fault):
      Terminal.error("\(place ?? "")\(fault)")
      throw ExitCode.validationFailure
    case .refused(let why):
      Terminal.error("\(place ?? "")\(why)")
      throw ExitCode.failure
    case .gone(let failure): throw failure
    }
    return true
  }

  /// Performs the commands of a person until the input ends. Errors do not end the console.
  private func converse(_ terminal: ConsoleTerminal, _ console: Console) {
    Terminal.note("help lists the commands; Tab completes; Control-D ends")
    while let line = terminal.line(complete: console.completions) {
      switch console.perform(line) {
      case .nothing: continue
      case .end: return
      case .text(let lines): for line in lines { Terminal.print(TerminalText(line)) }
      case .answer(let value): Terminal.print(TerminalText(lines: value.indentedJSONText.dropLast()))
      case .fault(let text), .refused(let text): Terminal.error("\(text)")
      case .gone(let failure): Terminal.error("\(failure)")
      }
    }
  }
}

/// Performs the lines of a console.
private struct Console {
  let client: ControlClient
  /// The path of the accessory.
  let path: String

  enum Outcome {
    case nothing
    case end
    case text([String])
    case answer(ProfileValue)
    /// The line cannot be parsed.
    case fault(String)
    /// The accessory refuses the command.
    case refused(String)
    /// The accessory cannot be reached.
    case gone(ControlClient.Failure)
  }

  func perform(_ text: String) -> Outcome {
    let words = text.split(whereSeparator: \.isWhitespace)
    guard let first = words.first, !first.hasPrefix("#") else { return .nothing }
    if words.count == 1, ["quit", "exit"].contains(first) { return .end }
    if first == "help" { return .text(Self.help(for: words.dropFirst().first.map { String($0) })) }
    do throws(ConsoleLine.Fault) {
      let line = try ConsoleLine(parsing: text)
      do throws(ControlClient.Failure) {
        return .answer(.object(try client.perform(line, on: path)))
      } catch {
        return error.refusal.map { .refused($0) } ?? .gone(error)
      }
    } catch {
      return .fault("\(error)")
    }
  }

  /// Returns the commands, or those that begin with a word, with their effects.
  private static func help(for word: String?) -> [String] {
    let verbs = ConsoleVerb.all.filter { verb in
      guard let word else { return true }
      return verb.usage.hasPrefix(word)
    }
    if verbs.isEmpty { return ["no command begins with '\(word ?? "")'"] }
    return verbs.map { verb in
      guard word != nil else { return verb.usage }
      return "\(verb.usage)\n    \(verb.summary)"
    }.flatMap { $0.split(separator: "\n").map { String($0) } }
  }

  func completions(_ line: String) -> [String] {
    ConsoleCompletion.words(for: line) { wanted in
      try? client.get(wanted.hasPrefix("/") ? wanted : wanted.isEmpty ? path : "\(path)/\(wanted)")
    }
  }
}
