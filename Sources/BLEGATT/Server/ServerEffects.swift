import BLEATT
import BLECore

/// The effects of a client's PDU besides the response.
public struct ServerEffects: Sendable {
  /// The events for observers, in order.
  public var events: [ServerEvent] = []
  /// The application's actions after the response.
  public var actions: [ApplicationAction] = []
  /// An indication that may be sent now because a confirmation has arrived.
  public var nextIndication: HandleValueIndication?
  /// Whether a request was refused because the link lacks security.
  public var lacksSecurity = false
  /// Whether single reads and writes are reported as events.
  public var reportsAccess: Bool

  /// Creates empty effects.
  public init(reportsAccess: Bool) { self.reportsAccess = reportsAccess }
}

/// An event of a server.
public enum ServerEvent: Hashable, Sendable {
  /// The MTU was exchanged: what the client can receive, and the new MTU, in octets.
  case mtuExchanged(client: Int, effective: Int)
  /// A client has changed its configuration of a characteristic.
  case subscriptionChanged(CharacteristicIndex, ClientConfiguration)
  /// A client has switched the broadcast of a characteristic on or off, for all clients.
  case broadcastChanged(CharacteristicIndex, isOn: Bool)
  /// A client has written its supported features.
  case featuresChanged(ClientFeatures)
  /// A client has read a characteristic's value: the whole value, even if its MTU truncated it.
  case read(CharacteristicIndex, [UInt8])
  /// A client has written a characteristic's value.
  case written(CharacteristicIndex, [UInt8])
  /// A client has confirmed an indication of the attribute with this handle.
  case confirmed(UInt16)
  /// A request was refused.
  case refused(ATTOpcode, handle: UInt16, ATTErrorCode)
  /// The application answers later with this ticket. Until then the client waits.
  case awaiting(AnswerTicket, ATTOpcode, handle: UInt16)
  /// The client's timeout for this ticket expires in a few seconds.
  case running(outOfTime: AnswerTicket)
  /// Nobody waits for the answer to this ticket any longer.
  case cancelled(AnswerTicket)
  /// A client has sent a request before the previous one was answered. It waits, or is ignored if there are too many.
  case earlyRequest(ATTOpcode, isKept: Bool)
}
