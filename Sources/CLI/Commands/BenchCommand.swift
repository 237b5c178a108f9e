import ArgumentParser

/// Measurements of the whole program.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure the performance of Understudy.",
    subcommands: [LadderCommand.self, RadioBenchCommand.self])
}
