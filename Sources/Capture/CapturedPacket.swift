/// A packet that passed between a host and a controller, as capture files keep it.
package struct CapturedPacket: Hashable, Sendable {
  /// Which way a packet goes.
  package enum Direction: Hashable, Sendable, CaseIterable {
    /// Sent by the host: commands and data.
    case hostToController
    /// Received by the host: events and data.
    case controllerToHost
  }

  /// Which way it went.
  package var direction: Direction
  /// The wall clock when it passed: microseconds since 1970-01-01 00:00 UTC.
  package var microseconds: Int64
  /// The packet with its H4 type in front (Core 5.4 Vol 4 Part A 2), as far as it was kept.
  package var octets: [UInt8]

  /// A packet that went that way at that time, in microseconds since 1970, with its H4 type in front.
  package init(_ direction: Direction, microseconds: Int64, octets: [UInt8]) {
    self.direction = direction
    self.microseconds = microseconds
    self.octets = octets
  }
}
