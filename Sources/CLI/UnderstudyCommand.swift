import ArgumentParser

/// The command line. Exit codes follow sysexits(3): see `ExitStatus`.
struct UnderstudyCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "understudy",
    abstract: "Run Bluetooth LE accessories that profiles describe, for any central.",
    discussion: """
      Run `understudy run heart-rate` for a heart-rate belt on the built-in virtual radio, or put it on the air with a \
      board: `understudy run heart-rate --controller serial:/dev/ttyACM0`.

      Exit codes: \(ExitStatus.help)
      """,
    version: Version.text,
    subcommands: [
      RunCommand.self, NewCommand.self, InitCommand.self, ImportCommand.self, ExportCommand.self, TestCommand.self,
      CheckCommand.self, LintCommand.self, DescribeCommand.self,
      ProfilesCommand.self, ScenariosCommand.self, SchemaCommand.self, ExplainCommand.self,
      ControllersCommand.self, DoctorCommand.self, RadioCommand.self, CaptureCommand.self, PlotCommand.self,
      ConsoleCommand.self,
      BondsCommand.self,
      IdentityCommand.self, LearnCommand.self, ProxyCommand.self, CompareCommand.self, CentralCommand.self,
      BenchCommand.self,
    ])

  /// Does the same as the argument parser's own `main`, except that a failure to write help is an error.
  static func main() async {
    if let unknown = UnknownCommand.first(in: CommandLine.arguments.dropFirst()) {
      exit(withError: unknown.error)
    }
    do {
      var command = try await asyncParseAsRoot(nil)
      if var asyncCommand = command as? any AsyncParsableCommand {
        try await asyncCommand.run()
      } else {
        try command.run()
      }
      Terminal.endIfOutputFailed()
    } catch {
      Terminal.endIfOutputFailed()
      let code = exitCode(for: error)
      guard code.isSuccess else { exit(withError: error) }
      Terminal.print(TerminalText(lines: fullMessage(for: error)))
    }
  }
}
