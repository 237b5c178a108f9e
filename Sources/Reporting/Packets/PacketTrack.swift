import Decoding
import Viewing

/// Decoded packets from several points of view, on one time line.
package struct PacketTrack: Sendable {
  /// A place where packets were recorded: a host, or the air.
  package struct Lane: Hashable, Sendable {
    /// Its name.
    package var name: String
    /// Its point of view.
    package var viewpoint: Viewpoint
  }

  /// A packet.
  package struct Packet: Sendable {
    /// The time since the start of the case, in nanoseconds.
    package var nanoseconds: Int64
    /// The number of its lane.
    package var lane: Int
    /// Whether the host or the central sent it.
    package var isSent: Bool
    /// Its log level.
    package var level: PacketLevel
    /// The kind of packet, for example `ATT Send`.
    package var type: String
    /// Its contents on one line.
    package var text: String
    /// Its octets.
    package var octets: [UInt8]
    /// All layers with their fields.
    package var layers: [DecodedLayer]
    /// The place in the track of the packet that it answers.
    package var request: Int?
    /// The time since that packet, in nanoseconds.
    package var latency: Int64?
    /// Whether it was lost on the air.
    package var isLost: Bool
    /// Whether it violates the protocol.
    package var isFaulty: Bool
    /// The remarks on it.
    package var remarks: [String]
  }

  /// The lanes: peripherals, the air, centrals.
  package var lanes: [Lane] = []
  /// The packets in the order of their times.
  package var packets: [Packet] = []
  /// The number of packets left out.
  package var omitted = 0
  /// The numbers in values, over time.
  package var series: [ValueSeries] = []
  /// The wall clock of the first packet: nanoseconds since 1970-01-01 00:00 UTC.
  package var began: Int64 = 0
}
