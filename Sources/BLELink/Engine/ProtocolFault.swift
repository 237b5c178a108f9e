import BLECore
import BLEHCI

/// A violation of the protocol by a peer or a controller, with what is done about it. Severity is a type: nothing that a peer sends
/// ends the process.
public enum ProtocolFault: Hashable, Sendable {
  /// Ignored: octets between H4 packets.
  case skippedOctets(Int)
  /// Ignored: an event that does not fit its layout.
  case malformedEvent(code: UInt8)
  /// Ignored: ACL data that cannot be recombined, with the reason.
  case malformedACL(ConnectionHandle, String)
  /// Ignored: data for a connection that does not exist.
  case unknownConnection(ConnectionHandle)
  /// Ignored: data on a channel that does not exist.
  case unknownChannel(ConnectionHandle, UInt16)
  /// Rejected or ignored: a signalling packet.
  case signalling(ConnectionHandle, String)
  /// Ignored: more completed packets than were outstanding.
  case bogusCompletion(ConnectionHandle)
  /// The link is disconnected: an indication was not confirmed, or a request was not answered, in time
  /// (Core 5.4 Vol 3 Part F 3.3.3).
  case transactionTimeout(ConnectionHandle)
  /// The channel of a bearer is closed, of an enhanced one or of that over BR/EDR: on it, an indication was not confirmed, or a request was
  /// not answered, in time.
  case bearerTimeout(ConnectionHandle, UInt16)
  /// The link is disconnected: the peer keeps sending requests and does not take the answers.
  case flooding(ConnectionHandle)
  /// Ignored: an answer to a command that was not sent.
  case unexpectedAnswer(CommandOpcode)
  /// The link has ended: the controller no longer knows it, and its disconnection event was lost.
  case linkForgotten(ConnectionHandle)
  /// Written off: packets that the controller did not report as completed, although the peer has them, or they never reached it; their number.
  case completionsMissed(ConnectionHandle, Int)
  /// The link is disconnected: the controller does not report its packets as completed (Core 5.4 Vol 4 Part E 4.1.1).
  case stalled(ConnectionHandle)
  /// The link is disconnected: the controller has the encryption key, but does not report the result.
  case encryptionUnreported(ConnectionHandle)
  /// Sent again: a command that was not answered, although the controller works.
  case commandLost(CommandOpcode)
  /// Applied again: an advertising set or a scan that the controller does not run, although it was enabled.
  case settingsReapplied(CommandOpcode)
  /// The controller is initialized again: it reported an error, or has restarted.
  case controllerRestarted(String)
}

extension ProtocolFault {
  /// The remedy for a fault.
  public enum Remedy: String, Hashable, Sendable {
    /// The input is ignored or rejected; everything else continues.
    case ignored
    /// The channel is closed.
    case closed
    /// The link is ended.
    case disconnected
    /// The controller is reset and initialized again.
    case restarted
  }

  /// The remedy for this fault.
  public var remedy: Remedy {
    switch self {
    case .transactionTimeout, .flooding, .linkForgotten, .stalled, .encryptionUnreported: .disconnected
    case .bearerTimeout: .closed
    case .controllerRestarted: .restarted
    default: .ignored
    }
  }
}
