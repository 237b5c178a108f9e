/// A future event on the air. It is small because the timeline moves it around; its details stay with the object that it names.
enum AirEvent {
  /// An advertising set starts its next advertising event.
  case advertisingEvent(ControllerID, SetKey, epoch: UInt32)
  /// A packet of an advertising event has been sent.
  case advertisingStep(ControllerID, SetKey, epoch: UInt32)
  /// The duration of an advertising set is over.
  case advertisingTimeout(ControllerID, SetKey, epoch: UInt32)
  /// The duration of a scan is over.
  case scanTimeout(ControllerID, epoch: UInt32)
  /// The next period of a periodic scan begins.
  case scanPeriod(ControllerID, epoch: UInt32)
  /// A scan response arrives at the scanner that asked for it.
  case scanResponse(ControllerID, epoch: UInt32)
  /// The anchor point of a connection event.
  case connectionEvent(LinkID, UInt32)
  /// A packet of a connection event has been sent.
  case linkPacket(LinkID, UInt32)
  /// A connection that is not established by now fails.
  case establishmentDeadline(LinkID)
  /// A link end that has heard nothing for its supervision timeout loses the link.
  case supervision(LinkID, LinkSide)
  /// A link end pings its peer, or its authenticated payload timeout expires.
  case payloadCheck(LinkID, LinkSide, UInt32)
  /// A procedure of a link end may have timed out.
  case procedureTimeout(LinkID, LinkSide)
  /// The peer has acknowledged this end's LL_TERMINATE_IND.
  case terminated(LinkID, LinkSide)
  /// Delayed packets reach a controller's host.
  case hostDelivery(ControllerID)
  /// A packet that answers another has been sent and goes to the observer.
  indirect case packetSent(AirPacket)
  /// An event of BR/EDR.
  case classic(ClassicEvent)
}
