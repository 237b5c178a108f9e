import BLESMP
import Capture

/// One pairing, from its request to its end (Core 5.4 Vol 3 Part H 2.1).
package struct PairingConversation: Sendable {
  /// How it ended.
  package enum Outcome: Hashable, Sendable {
    /// It goes on, or the capture ends.
    case open
    /// The link was encrypted with what came of it.
    case encrypted
    /// A side gave up, for that reason.
    case failed(UInt8)
    /// The connection ended.
    case disconnected
  }

  /// The number of its first packet.
  package let number: Int
  /// When it began: nanoseconds since 1970-01-01 00:00 UTC.
  package let began: Int64
  /// When its last packet came.
  package internal(set) var latest: Int64
  /// The connection.
  package let handle: UInt16?
  /// Who initiated it; of a Security Request, who answers it.
  package internal(set) var initiator: PacketSender
  /// What the initiator said of itself.
  package internal(set) var request: PairingFeatures?
  /// What the responder said of itself.
  package internal(set) var response: PairingFeatures?
  /// The codes of all packets, in their order; at most 64.
  package internal(set) var codes: [UInt8] = []
  /// How it ended.
  package internal(set) var outcome = Outcome.open

  static let codeLimit = 64

  /// From its first packet to its last, in nanoseconds.
  package var duration: Int64 { latest.elapsed(since: began) }

  /// Whether both sides know LE Secure Connections, which is then what they use (Core 5.4 Vol 3 Part H 2.3.5.1).
  package var isSecureConnections: Bool? {
    guard let request, let response else { return nil }
    return request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
  }
}
