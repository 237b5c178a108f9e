/// What is going to happen on the air: small, because the timeline moves it about. What goes with it waits where it is
/// going to happen.
enum AirEvent {
  /// An advertising set starts its next advertising event.
  case advertisingEvent(ControllerID, SetKey, epoch: UInt32)
  /// A packet of an advertising event has been sent.
  case advertisingStep(ControllerID, SetKey, epoch: UInt32)
  /// The duration of an advertising set is over.
  case advertisingTimeout(ControllerID, SetKey, epoch: UInt32)
  /// The duration of a scan is over.
  case scanTimeout(ControllerID, epoch: UInt32)
  /// The next scan of a periodic one begins.
  case scanPeriod(ControllerID, epoch: UInt32)
  /// A scan response arrives at the scanner that asked for it.
  case scanResponse(ControllerID, epoch: UInt32)
  /// The anchor point of a connection event.
  case connectionEvent(LinkID, UInt32)
  /// A packet of a connection event has been sent.
  case linkPacket(LinkID, UInt32)
  /// A connection that was not established by now has failed.
  case establishmentDeadline(LinkID)
  /// A link end that has heard nothing for its supervision timeout loses the link.
  case supervision(LinkID, LinkSide)
  /// A link end pings its peer, or has gone too long without an authenticated packet.
  case payloadCheck(LinkID, LinkSide, UInt32)
  /// A procedure that a link end began may have taken too long.
  case procedureTimeout(LinkID, LinkSide)
  /// The peer has acknowledged that this end leaves the link.
  case terminated(LinkID, LinkSide)
  /// Packets that were held back reach a controller's host.
  case hostDelivery(ControllerID)
  /// A packet that answers another has been sent, and the observer is told.
  indirect case packetSent(AirPacket)
}
