import AccessoryProfile
import ArgumentParser

struct MemoryCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "memory",
    abstract: "Measure the memory of connections and channels, and whether connections give all of it back.")

  @Option(help: "The number of connections that are made and ended one after the other.")
  var connections = 100_000

  @Flag(help: "Print JSON.")
  var json = false

  func validate() throws {
    guard (1...100_000_000).contains(connections) else {
      throw ValidationError("--connections takes 1 to 100000000")
    }
  }

  func run() throws {
    let figure = try MemoryBench(try Profile.load(argument: "throughput")).measure(cycles: connections)
    guard json else {
      print("a connection: \(figure.octetsPerConnection) octets")
      print("a channel: \(figure.octetsPerChannel) octets")
      return print("growth over \(figure.cycles) connections: \(figure.growth) octets")
    }
    ProfileValue.object([
      "octets_per_connection": .int(Int64(figure.octetsPerConnection)),
      "octets_per_channel": .int(Int64(figure.octetsPerChannel)), "connections": .int(Int64(figure.cycles)),
      "growth": .int(Int64(figure.growth)),
    ]).printLine()
  }
}
