import BLEATT
import BLECore
import Capture
import Decoding

/// Assigns Read Blob Responses to the values that they continue. A long value is read in parts, each of which starts where the previous one
/// ends (Core 5.4 Vol 3 Part F 3.4.4.5, Part G 4.8.3).
struct LongReads {
  /// The role of an ATT PDU's value.
  enum Part: Hashable {
    /// A complete value, or the start of one.
    case whole
    /// A continuation of the value with that number.
    case continued(Int)
    /// Octets of a value whose start is not in the capture, or octets that were already read.
    case stray
  }

  /// A connection, as far as reads are concerned. Each reads values of its own.
  private struct Reader: Hashable {
    var source: UInt32
    var connection: UInt32
  }

  /// A value that may be continued: its number, and the number of octets so far.
  private struct Value {
    var place: Int
    var count: Int
  }

  private static let limit = 64
  private var values: [Reader: Value] = [:]
  /// The offsets of Read Blob Requests without a response yet, by packet number.
  private var offsets: [Int: Int] = [:]

  /// Processes a packet, and remembers the offset of a Read Blob Request.
  mutating func note(_ summary: PacketSummary, _ record: CaptureRecord) {
    guard summary.layer == .att, summary.opcode == UInt16(ATTOpcode.readBlobRequest.rawValue) else { return }
    let pdu = Array(summary.octets(in: record))
    guard pdu.count == 5 else { return }
    if offsets.count >= Self.limit { offsets.removeAll() }
    offsets[summary.number] = Int(pdu[3]) | Int(pdu[4]) << 8
  }

  /// Returns the role of a packet's value, which has `count` octets. `next` is its number if it is a new value.
  mutating func part(_ summary: PacketSummary, _ count: Int, next: Int) -> Part {
    let reader = Reader(
      source: summary.source, connection: summary.accessAddress ?? summary.handle.map { UInt32($0) } ?? 0)
    switch ATTOpcode(rawValue: UInt8(truncatingIfNeeded: summary.opcode)) {
    case .readResponse: break
    case .readBlobResponse:
      let offset = summary.request.flatMap { offsets.removeValue(forKey: $0) }
      if offset == 0 { break }
      guard let value = values[reader], value.count == offset else { return .stray }
      values[reader]?.count += count
      return .continued(value.place)
    default: return .whole
    }
    if values.count >= Self.limit { values.removeAll() }
    values[reader] = Value(place: next, count: count)
    return .whole
  }
}
