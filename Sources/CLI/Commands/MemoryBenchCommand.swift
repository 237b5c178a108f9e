import AccessoryProfile
import ArgumentParser
import Bench
import Understudy

struct MemoryBenchCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Measure the memory that connections and channels take, and whether connections release all of it.")

  @Option(help: "The number of consecutive connections.")
  var connections = 100_000

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...100_000_000).contains(connections) else {
      throw ValidationError("--connections takes 1 to 100000000")
    }
  }

  func run() async throws {
    let figure = try MemoryBench(try ProfileArguments.load("throughput")).measure(cycles: connections)
    guard json else {
      Terminal.print("a connection: \(figure.octetsPerConnection) octets")
      Terminal.print("a channel: \(figure.octetsPerChannel) octets")
      return Terminal.print("growth over \(figure.cycles) connections: \(figure.growth) octets")
    }
    Terminal.print(
      json: .object([
        "octets_per_connection": .int(Int64(figure.octetsPerConnection)),
        "octets_per_channel": .int(Int64(figure.octetsPerChannel)), "connections": .int(Int64(figure.cycles)),
        "growth": .int(Int64(figure.growth)),
      ]))
  }
}
