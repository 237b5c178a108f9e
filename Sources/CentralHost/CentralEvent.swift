import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What happened in a central. Links are named by their handles.
public enum CentralEvent: Sendable {
  /// The controller has answered everything; wishes are taken from now on.
  case controllerReady(ControllerProfile, address: DeviceAddress, addressType: AddressType)
  /// Scanning has begun or ended.
  case scanning(Bool)
  /// An advertiser that passes the filter was heard.
  case advertisement(Advertisement)
  /// A link was made.
  case connected(ConnectionHandle, ConnectionDetails)
  /// No link was made.
  case connectionFailed(ErrorCode)
  /// A link has ended.
  case disconnected(ConnectionHandle, reason: ErrorCode)
  /// A link has new parameters.
  case parametersChanged(ConnectionHandle, interval: Duration, latency: Int, timeout: Duration)
  /// The peripheral wished for other parameters, and whether it gets them.
  case parametersRequested(ConnectionHandle, LinkParameters, accepted: Bool)
  /// A link uses other PHYs.
  case phyChanged(ConnectionHandle, transmit: PHY, receive: PHY)
  /// A link's packets may be this long, in octets.
  case dataLengthChanged(ConnectionHandle, transmit: Int, receive: Int)
  /// A link's GATT client has something to report.
  case client(ConnectionHandle, GATTClientEvent)
  /// The peripheral did something to this side's server.
  case server(ConnectionHandle, ServerEvent)
  /// A link that took no more write commands takes some again.
  case readyForMore(ConnectionHandle)
  /// A credit-based channel of a link has opened, closed, or takes SDUs again.
  case channel(ConnectionHandle, ChannelEvent)
  /// An SDU came on a credit-based channel.
  case sdu(ConnectionHandle, ChannelID, [UInt8])
  /// A frame came on a channel that nobody here listens to.
  case frame(ConnectionHandle, ChannelID, [UInt8])
  /// The controller refused a command.
  case refused(CommandOpcode, ErrorCode)
  /// Something came that does not fit the protocol.
  case fault(CentralFault)
  /// The controller cannot be used.
  case controllerFailed(ControllerFailure)
}

/// A peer or a controller that breaks the protocol, with what is done about it.
public enum CentralFault: Hashable, Sendable {
  /// Ignored: octets between H4 packets.
  case skippedOctets(Int)
  /// Ignored: an event that does not fit its layout.
  case malformedEvent(code: UInt8)
  /// Ignored: ACL data that cannot be put together.
  case malformedACL(ConnectionHandle, ACLRecombiner.Fault)
  /// Ignored: data for a link that does not exist, or its end.
  case unknownLink(ConnectionHandle)
  /// Ignored: more completed packets than were under way.
  case bogusCompletion(ConnectionHandle)
  /// Rejected: a signalling packet with that code.
  case rejectedSignalling(ConnectionHandle, code: UInt8)
  /// Ignored: a signalling packet that does not fit its layout.
  case malformedSignalling(ConnectionHandle)
  /// The channel is closed: the peripheral broke its protocol.
  case channelViolation(ConnectionHandle, ChannelID, ChannelViolation)
  /// Ignored: an answer to a command that was not sent.
  case unexpectedAnswer(CommandOpcode)
  /// The link is disconnected: the server did not answer in time (Core 5.4 Vol 3 Part F 3.3.3).
  case transactionTimeout(ConnectionHandle)
  /// The link is disconnected: the peripheral keeps asking and takes none of the answers.
  case flooding(ConnectionHandle)
  /// The controller is brought up again: it reported a fault, or did not answer.
  case controllerRestarted(String)
}
