import Capture
import Decoding

/// The transcript of one side of a capture, whichever sides it has: a capture of a virtual radio tells of the same connection as the
/// peripheral's host, the central's host and the air see it, and another one may have a single side of these.
///
/// Which sides there are is known only in the end, so that each has a transcript of its own until then.
package struct SidedTranscript: Sendable {
  private let comparesValues: Bool
  private let takesAll: Bool
  private var view = PointOfView()
  private var transcripts: [Viewpoint: Transcript] = [:]

  /// Nothing yet.
  ///
  /// - Parameters:
  ///   - comparesValues: Whether the values count that a server tells.
  ///   - takesAll: Whether all packets count, because somebody has chosen a side already.
  package init(comparingValues comparesValues: Bool = false, takingAll takesAll: Bool = false) {
    self.comparesValues = comparesValues
    self.takesAll = takesAll
  }

  /// Takes in a packet that was just received; of one that is not wanted, only what it tells of the sides.
  package mutating func add(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder, isWanted: Bool = true
  ) {
    view.receive(summary, record)
    guard isWanted, let side = takesAll ? .peripheral : view.viewpoint(of: summary) else { return }
    transcripts[side, default: Transcript(comparingValues: comparesValues)].add(summary, record, decoder)
  }

  /// The transcript of the peripheral's host, else that of the central's, else that of the air.
  package var chosen: Transcript {
    let side = takesAll ? .peripheral : view.preferred ?? view.known.first ?? .peripheral
    return transcripts[side] ?? Transcript(comparingValues: comparesValues)
  }
}
