import ArgumentParser

/// Measurements of the whole product.
struct BenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench", abstract: "Measure what an accessory of this program can do.",
    subcommands: [LadderCommand.self, RadioBenchCommand.self])
}
