import BLECore

/// An HCI transport within this process, to whose controllers octets are handed by call: a virtual radio, or the line to a
/// controller that several accessories share. It runs on the loop of the accessories.
protocol InProcessTransport: Actor {
  /// One accessory's place.
  associatedtype Seat: Sendable

  /// Takes octets of an accessory, and returns what its controller answers at once.
  func exchange(_ octets: [UInt8], from seat: Seat, at now: Instant) -> [UInt8]
  /// What an accessory's controller has for it.
  func collect(_ seat: Seat) -> [UInt8]
}

extension RadioHub: InProcessTransport {}
