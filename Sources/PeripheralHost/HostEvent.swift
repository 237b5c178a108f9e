import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

/// What happened in a host stack: the one stream that the command line, the control API, the log and the tests see.
/// Connections are named by their handle.
public enum HostEvent: Sendable {
  /// The controller has answered everything; advertising begins.
  case controllerReady(ControllerProfile, address: DeviceAddress, addressType: AddressType)
  /// All advertising sets that can be on are on, for the first time since the controller came up.
  case advertisingReady(sets: [String])
  /// A set went on or off the air, or cannot.
  case advertising(AdvertisingEvent)
  /// A central has connected.
  case connected(ConnectionHandle, ConnectionDetails)
  /// A central tried and failed (Core 5.4 Vol 4 Part E 7.7.65.1).
  case connectionFailed(ErrorCode)
  /// A connection has ended.
  case disconnected(ConnectionHandle, reason: ErrorCode)
  /// A connection has new parameters.
  case parametersChanged(ConnectionHandle, interval: Duration, latency: Int, timeout: Duration)
  /// The central has answered our wish for other parameters.
  case parametersAnswered(ConnectionHandle, accepted: Bool)
  /// A connection uses other PHYs.
  case phyChanged(ConnectionHandle, transmit: PHY, receive: PHY)
  /// A connection's packets may be this long, in octets.
  case dataLengthChanged(ConnectionHandle, transmit: Int, receive: Int)
  /// A client of a connection did something.
  case server(ConnectionHandle, ServerEvent)
  /// The client of the central's server has something to report.
  case client(ConnectionHandle, GATTClientEvent)
  /// A service was added, removed or replaced.
  case databaseChanged(DatabaseChange)
  /// A notification was handed to the controller.
  case notified(ConnectionHandle, CharacteristicIndex, octets: Int)
  /// A notification was left out, because the central does not take what was sent before.
  case notificationDropped(ConnectionHandle, CharacteristicIndex)
  /// An indication was handed to the controller.
  case indicated(ConnectionHandle, CharacteristicIndex)
  /// Something happened to a connection's L2CAP channels.
  case channel(ConnectionHandle, ChannelEvent)
  /// An SDU that the application leaves to the owner of the host.
  case sdu(ConnectionHandle, ChannelID, [UInt8])
  /// A Pairing Request was refused.
  case pairingRefused(ConnectionHandle)
  /// Something came that does not fit the protocol; what was done about it is in the fault.
  case fault(ProtocolFault)
  /// The controller cannot be used.
  case controllerFailed(ControllerFailure)
  /// Everything is off and every central is gone: the end of a shutdown.
  case stopped
}

/// A peer or a controller that breaks the protocol, with what is done about it. Severity is a type: nothing a peer sends
/// ends the process.
public enum ProtocolFault: Hashable, Sendable {
  /// Ignored: octets between H4 packets.
  case skippedOctets(Int)
  /// Ignored: an event that does not fit its layout.
  case malformedEvent(code: UInt8)
  /// Ignored: ACL data that cannot be put together; the reason.
  case malformedACL(ConnectionHandle, String)
  /// Ignored: data for a connection that does not exist.
  case unknownConnection(ConnectionHandle)
  /// Ignored: data on a channel that does not exist.
  case unknownChannel(ConnectionHandle, UInt16)
  /// Rejected or ignored: a signalling packet.
  case signalling(ConnectionHandle, String)
  /// Ignored: more completed packets than were under way.
  case bogusCompletion(ConnectionHandle)
  /// The link is disconnected: an indication was not confirmed, or a request not answered in time
  /// (Core 5.4 Vol 3 Part F 3.3.3).
  case transactionTimeout(ConnectionHandle)
  /// The link is disconnected: the central keeps asking and takes none of the answers.
  case flooding(ConnectionHandle)
  /// Ignored: an answer to a command that was not sent.
  case unexpectedAnswer(CommandOpcode)
  /// The controller is brought up again: it reported a fault, or has restarted.
  case controllerRestarted(String)
}

extension ProtocolFault {
  /// What is done about a fault.
  public enum Remedy: String, Hashable, Sendable {
    /// What came is passed over, or rejected; everything goes on.
    case ignored
    /// The link is ended.
    case disconnected
    /// The controller is reset and brought up again.
    case restarted
  }

  /// What is done about it.
  public var remedy: Remedy {
    switch self {
    case .transactionTimeout, .flooding: .disconnected
    case .controllerRestarted: .restarted
    default: .ignored
    }
  }
}
