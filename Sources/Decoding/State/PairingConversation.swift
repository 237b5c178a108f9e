import BLESMP
import Capture

/// One pairing, from its request to its end (Core 5.4 Vol 3 Part H 2.1).
package struct PairingConversation: Sendable {
  /// The outcome of the pairing.
  package enum Outcome: Hashable, Sendable {
    /// In progress, or the capture ended.
    case open
    /// The link was encrypted with the resulting key.
    case encrypted
    /// A side has ended it, with this reason.
    case failed(UInt8)
    /// The connection ended.
    case disconnected
  }

  /// The number of its first packet.
  package let number: Int
  /// The time of its start: nanoseconds since 1970-01-01 00:00 UTC.
  package let began: Int64
  /// The time of its last packet.
  package internal(set) var latest: Int64
  /// The connection.
  package let handle: UInt16?
  /// The initiator; for a Security Request, the side that answers it.
  package internal(set) var initiator: PacketSender
  /// The features that the initiator sent.
  package internal(set) var request: PairingFeatures?
  /// The features that the responder sent.
  package internal(set) var response: PairingFeatures?
  /// The codes of all packets, in order; at most 64.
  package internal(set) var codes: [UInt8] = []
  /// The outcome.
  package internal(set) var outcome = Outcome.open

  static let codeLimit = 64

  /// The time from its first packet to its last, in nanoseconds.
  package var duration: Int64 { latest.elapsed(since: began) }

  /// Whether both sides support LE Secure Connections, which they then use (Core 5.4 Vol 3 Part H 2.3.5.1).
  package var isSecureConnections: Bool? {
    guard let request, let response else { return nil }
    return request.requirements.contains(.secureConnections) && response.requirements.contains(.secureConnections)
  }
}
