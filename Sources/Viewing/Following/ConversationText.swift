import BLECore
import Capture
import Decoding

/// A conversation as text: each packet with its direction and the time since the previous one, and the outcomes of pairings.
package struct ConversationText: Sendable {
  /// A packet of the conversation.
  package struct Line: Hashable, Sendable {
    /// The connection, if it differs from the previous packet's.
    package var connection: String?
    /// The time, the time since the previous packet, and the direction.
    package var columns: String
    /// The packet's text.
    package var text: String
  }

  private var connection: String?
  private var latest: Int64?
  /// The numbers of the first packets of the pairings shown so far.
  private var pairings: Set<Int> = []

  /// Creates an empty conversation.
  package init() {}

  /// Returns the line of a packet that was just received and belongs to the conversation.
  package mutating func line(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> Line {
    var begun: String?
    if let name = PacketWords.connection(summary), name != connection {
      (begun, connection, latest) = (name, name, nil)
    }
    if summary.layer == .smp, let first = summary.request { pairings.insert(first) }
    let since = latest.map { "+" + PacketWords.span(summary.nanoseconds.elapsed(since: $0)) } ?? ""
    latest = summary.nanoseconds
    let arrow = summary.isSent ? "→" : "←"
    let latency = summary.layer == .smp ? nil : summary.latency
    let answer = latency.map { "  (answered after \(PacketWords.span($0)))" } ?? ""
    return Line(
      connection: begun,
      columns: "\(PacketWords.clock(summary.nanoseconds))  \(PacketWords.padded(since, 12))  \(arrow)",
      text: decoder.text(of: summary, in: record) + answer + PacketWords.remarks(record))
  }

  /// Returns the outcome of each pairing shown, with its number, counted from 1.
  package func ends(_ decoder: borrowing PacketDecoder) -> [(number: Int, text: String)] {
    decoder.pairings.enumerated().filter { pairings.contains($1.number) }.map { place, pairing in
      let kind =
        switch pairing.isSecureConnections {
        case true: "LE Secure Connections"
        case false: "LE legacy pairing"
        case nil: "of an unknown kind"
        }
      let outcome =
        switch pairing.outcome {
        case .open: "has not ended in the capture"
        case .encrypted: "ended with an encrypted link after \(PacketWords.span(pairing.duration))"
        case .failed(let reason): "failed: \(PacketDecoder.pairingFailure(reason))"
        case .disconnected: "ended with the connection"
        }
      return (place + 1, "from packet \(pairing.number), \(kind), \(outcome)")
    }
  }
}
