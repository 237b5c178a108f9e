import BLECore

/// An HCI transport within this process that takes octets by function call: a virtual radio, or the line to a
/// controller that several accessories share. It runs on the loop of the accessories.
protocol InProcessTransport: Actor {
  /// An accessory's place.
  associatedtype Seat: Sendable

  /// Passes an accessory's octets to its controller, and returns the immediate answer.
  func exchange(_ octets: [UInt8], from seat: Seat, at now: Instant) -> [UInt8]
  /// Returns what an accessory's controller has for it.
  func collect(_ seat: Seat) -> [UInt8]
}

extension RadioHub: InProcessTransport {}
