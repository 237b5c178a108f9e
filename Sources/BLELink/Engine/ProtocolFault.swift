import BLECore
import BLEHCI

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
  /// The channel of an enhanced bearer is closed: an indication was not confirmed on it, or a request not answered in time.
  case bearerTimeout(ConnectionHandle, UInt16)
  /// The link is disconnected: the peer keeps asking and takes none of the answers.
  case flooding(ConnectionHandle)
  /// Ignored: an answer to a command that was not sent.
  case unexpectedAnswer(CommandOpcode)
  /// The link has ended: the controller does not know it any longer, and the event of its end did not come.
  case linkForgotten(ConnectionHandle)
  /// Made good: the controller did not report that many packets completed which the peer has, or which never came to it.
  case completionsMissed(ConnectionHandle, Int)
  /// The link is disconnected: the controller does not report its packets completed (Core 5.4 Vol 4 Part E 4.1.1).
  case stalled(ConnectionHandle)
  /// The link is disconnected: the controller has the key for its encryption, and does not say what came of it.
  case encryptionUnreported(ConnectionHandle)
  /// Sent again: a command that was not answered by a controller that goes on.
  case commandLost(CommandOpcode)
  /// Told again: an advertising set or a scan that the controller did not do although it was told.
  case settingsReapplied(CommandOpcode)
  /// The controller is brought up again: it reported a fault, or has restarted.
  case controllerRestarted(String)
}

extension ProtocolFault {
  /// What is done about a fault.
  public enum Remedy: String, Hashable, Sendable {
    /// What came is passed over, or rejected; everything goes on.
    case ignored
    /// The channel is closed.
    case closed
    /// The link is ended.
    case disconnected
    /// The controller is reset and brought up again.
    case restarted
  }

  /// What is done about it.
  public var remedy: Remedy {
    switch self {
    case .transactionTimeout, .flooding, .linkForgotten, .stalled, .encryptionUnreported: .disconnected
    case .bearerTimeout: .closed
    case .controllerRestarted: .restarted
    default: .ignored
    }
  }
}
