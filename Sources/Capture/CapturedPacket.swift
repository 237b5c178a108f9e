/// A packet between a host and a controller, as stored in capture files.
package struct CapturedPacket: Hashable, Sendable {
  /// The direction of a packet.
  package enum Direction: Hashable, Sendable, CaseIterable {
    /// Sent by the host: commands and data.
    case hostToController
    /// Received by the host: events and data.
    case controllerToHost
  }

  /// The direction.
  package var direction: Direction
  /// The wall clock at the packet: microseconds since 1970-01-01 00:00 UTC.
  package var microseconds: Int64
  /// The packet, starting with its H4 type (Core 5.4 Vol 4 Part A 2), as far as it was stored.
  package var octets: [UInt8]

  /// Creates a packet with this direction and time, in microseconds since 1970, starting with its H4 type.
  package init(_ direction: Direction, microseconds: Int64, octets: [UInt8]) {
    self.direction = direction
    self.microseconds = microseconds
    self.octets = octets
  }
}
