import Transport

/// What carries the packets between an accessory and its controller: the HCI transport of Core 5.4 Vol 4, or a call.
enum HCITransport {
  /// Nothing yet, or no longer.
  case none
  /// Nothing yet: a socket waits for the controller to connect.
  case awaiting(WatchID)
  /// A file descriptor.
  case line(Line, WatchID)
  /// A virtual controller of this process.
  case radio(RadioHub, RadioPass)
  /// A controller that others use, too.
  case shared(SharedControllerLine, SharedControllerLine.Seat)
}

/// What an accessory has of the radio that it is on.
struct RadioPass {
  /// Where it sits on the air.
  var seat: RadioHub.Seat
  /// By which it hears of the radio's events.
  var observer: Int
  /// Whether the radio is the accessory's own, and ends with it.
  var isOwn: Bool
}
