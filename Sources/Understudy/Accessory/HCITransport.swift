import Transport

/// The transport of packets between an accessory and its controller: an HCI transport of Core 5.4 Vol 4, or function calls.
enum HCITransport {
  /// Not open yet, or closed.
  case none
  /// A socket on which the controller is expected to connect.
  case awaiting(ListeningSocket, WatchID)
  /// A file descriptor.
  case line(Line, WatchID)
  /// A virtual controller in this process.
  case radio(RadioHub, RadioPass)
  /// A controller shared with others.
  case shared(SharedControllerLine, SharedControllerLine.Seat)
}

/// An accessory's registration with its radio.
struct RadioPass {
  /// The seat on the radio.
  var seat: RadioHub.Seat
  /// The number of the observer for the radio's events.
  var observer: Int
  /// Whether the radio belongs to the accessory, and is closed with it.
  var isOwn: Bool
}
