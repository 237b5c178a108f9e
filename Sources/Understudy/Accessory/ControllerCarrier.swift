import Transport

/// What carries the packets between an accessory and its controller.
enum ControllerCarrier {
  /// Nothing yet, or no longer.
  case none
  /// Nothing yet: a socket waits for the controller to connect.
  case awaiting(WatchID)
  /// A file descriptor.
  case line(Line, WatchID)
  /// A virtual controller of this process, its seat on the air, and the port where others can join.
  case radio(RadioHub, RadioHub.Seat, port: UInt16)

  /// The TCP ports where other hosts can join the virtual radio.
  var ports: [UInt16] {
    guard case .radio(_, _, let port) = self else { return [] }
    return [port]
  }
}
