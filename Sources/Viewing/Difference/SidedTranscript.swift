import Capture
import Decoding

/// The transcript of one side of a capture. A capture of a virtual radio shows each connection from three sides: the peripheral's
/// host, the central's host and the air. Other captures may have only one side.
///
/// Only the end of the capture shows which sides exist, so each side has its own transcript until then.
package struct SidedTranscript: Sendable {
  private let comparesValues: Bool
  private let takesAll: Bool
  private var view = PointOfView()
  private var transcripts: [Viewpoint: Transcript] = [:]

  /// Creates an empty transcript.
  ///
  /// - Parameters:
  ///   - comparesValues: Whether to compare the values that a server sends.
  ///   - takesAll: Whether to include all packets, because a filter has already chosen a side.
  package init(comparingValues comparesValues: Bool = false, takingAll takesAll: Bool = false) {
    self.comparesValues = comparesValues
    self.takesAll = takesAll
  }

  /// Adds a packet that was just received. An unwanted packet is only used to learn the sides.
  package mutating func add(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder, isWanted: Bool = true
  ) {
    view.receive(summary, record)
    guard isWanted, let side = takesAll ? .peripheral : view.viewpoint(of: summary) else { return }
    transcripts[side, default: Transcript(comparingValues: comparesValues)].add(summary, record, decoder)
  }

  /// The transcript of the peripheral's host, or else of the central's host, or else of the air.
  package var chosen: Transcript {
    let side = takesAll ? .peripheral : view.preferred ?? view.known.first ?? .peripheral
    return transcripts[side] ?? Transcript(comparingValues: comparesValues)
  }
}
