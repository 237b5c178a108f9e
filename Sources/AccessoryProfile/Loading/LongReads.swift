import BLEATT
import BLECore
import Capture
import Decoding

/// Finds out which Read Blob Responses continue which value: a long value is read in parts, each from where the one before ends
/// (Core 5.4 Vol 3 Part F 3.4.4.5, Part G 4.8.3).
struct LongReads {
  /// What an ATT PDU's value is.
  enum Part: Hashable {
    /// A value, or the beginning of one.
    case whole
    /// More of the value with that number.
    case continued(Int)
    /// Octets out of a value whose beginning is not in the capture, or that were read before.
    case stray
  }

  /// One connection, as far as reading goes; each reads its own value.
  private struct Reader: Hashable {
    var source: UInt32
    var connection: UInt32
  }

  /// A value that may go on: its number, and how many octets of it there are.
  private struct Value {
    var place: Int
    var count: Int
  }

  private static let limit = 64
  private var values: [Reader: Value] = [:]
  /// From where Read Blob Requests ask that have no response yet, by their packets' numbers.
  private var offsets: [Int: Int] = [:]

  /// Takes in a packet: of a Read Blob Request, from where it reads.
  mutating func note(_ summary: PacketSummary, _ record: CaptureRecord) {
    guard summary.layer == .att, summary.opcode == UInt16(ATTOpcode.readBlobRequest.rawValue) else { return }
    let pdu = Array(summary.octets(in: record))
    guard pdu.count == 5 else { return }
    if offsets.count >= Self.limit { offsets.removeAll() }
    offsets[summary.number] = Int(pdu[3]) | Int(pdu[4]) << 8
  }

  /// Says what the value of a packet is, which has `count` octets; as a whole value it has the number `next`.
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
