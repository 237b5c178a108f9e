import BLEATT
import BLECore

/// What a PDU from a client has led to, besides the answer.
public struct ServerEffects: Sendable {
  /// What an observer learns, in order.
  public var events: [ServerEvent] = []
  /// What the application wants done after the answer.
  public var actions: [ApplicationAction] = []
  /// An indication that may be sent now: the next one, when a confirmation made room for it.
  public var nextIndication: HandleValueIndication?
  /// Whether a request was refused because the link lacks security.
  public var lacksSecurity = false
  /// Whether single reads and writes are reported as events.
  public var reportsAccess: Bool

  /// No effects yet.
  public init(reportsAccess: Bool) { self.reportsAccess = reportsAccess }
}

/// What an observer learns of a server.
public enum ServerEvent: Hashable, Sendable {
  /// The MTU was exchanged: what the client can receive, and what holds from now on, in octets.
  case mtuExchanged(client: Int, effective: Int)
  /// A client has changed its configuration of a characteristic.
  case subscriptionChanged(CharacteristicIndex, ClientConfiguration)
  /// A client has switched the broadcast of a characteristic on or off, for everybody.
  case broadcastChanged(CharacteristicIndex, isOn: Bool)
  /// A client has said what it supports.
  case featuresChanged(ClientFeatures)
  /// A client has read a characteristic's value: all of it, however much its MTU let through.
  case read(CharacteristicIndex, [UInt8])
  /// A client has written a characteristic's value.
  case written(CharacteristicIndex, [UInt8])
  /// A client has confirmed an indication of the attribute with that handle.
  case confirmed(UInt16)
  /// A request was refused.
  case refused(ATTOpcode, handle: UInt16, ATTErrorCode)
  /// The application answers later by that ticket; until then the client waits.
  case awaiting(AnswerTicket, ATTOpcode, handle: UInt16)
  /// The client gives up on that ticket in a few seconds.
  case running(outOfTime: AnswerTicket)
  /// Nobody waits for the answer to that ticket any longer.
  case cancelled(AnswerTicket)
  /// A client has sent a request before the one ahead of it was answered; it waits, or is passed over when there are too many.
  case earlyRequest(ATTOpcode, isKept: Bool)
}
