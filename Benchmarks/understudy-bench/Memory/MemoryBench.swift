import AccessoryProfile
import BLECore
import Bench
import BLEGAP
import CHeap

/// A measurement of how much memory an accessory's host needs for connections and channels, and whether it gives all of it back.
struct MemoryBench: Sendable {
  /// The result of a measurement, in octets of the heap.
  struct Figure: Hashable, Sendable {
    /// The memory for one connection whose client has exchanged the MTU and subscribed to everything.
    var octetsPerConnection: Int
    /// The memory for one credit-based channel that has carried an SDU.
    var octetsPerChannel: Int
    /// How many connections were made and ended one after the other.
    var cycles: Int
    /// How much more memory was in use afterwards than before.
    var growth: Int
  }

  /// The accessory's profile, which publishes a channel.
  var profile: Profile

  /// Makes a bench for the accessory of that profile.
  init(_ profile: Profile) {
    var random = SplitMix64(seed: 0)
    self.profile = profile.assigningPSMs(random: &random)
    self.profile.connection.maximumConnections = Self.connections
  }

  private static let connections = 20
  private static let channels = 10

  /// Measures with that many connections, one after the other.
  func measure(cycles: Int) throws -> Figure {
    let host = try MeasuredHost(profile)
    // What is made only once must not count.
    for _ in 0..<100 { try cycle(host) }
    let empty = Self.heap
    for number in 0..<Self.connections { try host.connect(UInt16(number)) }
    let connected = Self.heap
    for number in 0..<Self.connections {
      for channel in 0..<Self.channels { try host.openChannel(UInt16(number), remote: UInt16(0x40 + channel)) }
    }
    let opened = Self.heap
    for number in 0..<Self.connections { host.disconnect(UInt16(number)) }
    for _ in 0..<100 { try cycle(host) }
    let before = Self.heap
    for _ in 0..<cycles { try cycle(host) }
    return Figure(
      octetsPerConnection: (connected - empty) / Self.connections,
      octetsPerChannel: (opened - connected) / (Self.connections * Self.channels), cycles: cycles,
      growth: Self.heap - before)
  }

  /// Makes a connection with a channel, and ends it.
  private func cycle(_ host: MeasuredHost) throws {
    try host.connect(0)
    try host.openChannel(0, remote: 0x40)
    host.disconnect(0)
  }

  /// The octets of the heap that are in use.
  private static var heap: Int { cheap_octets_in_use() }
}
