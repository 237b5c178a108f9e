import BLECore
import Capture
import Decoding

/// The values of one attribute as a table in CSV (RFC 4180).
package struct ValueTable: Sendable {
  /// The names of the columns.
  package static let head = "time,seconds,number,connection,way,kind,handle,name,hex,value"

  private let following: Following
  private var began: Int64?

  /// Creates a table of the values of the followed attribute. The last column is the value as the decoder shows it.
  package init(_ following: Following) { self.following = following }

  /// Returns the rows of a packet that was just received.
  package mutating func rows(
    _ summary: PacketSummary, _ record: CaptureRecord, _ decoder: borrowing PacketDecoder
  ) -> [String] {
    guard let first = summary.attributeIndex else { return [] }
    var rows: [String] = []
    for (handle, value) in AttributeValues(summary, record).entries {
      var place = first
      place.handle = handle
      guard following.isFollowed(place, decoder) else { continue }
      let began = began ?? summary.nanoseconds
      self.began = began
      let text = decoder.valueText(value, at: place, in: summary) ?? ""
      let cells = [
        PacketWords.clock(summary.nanoseconds), "\(Double(summary.nanoseconds.elapsed(since: began)) / 1e9)",
        "\(summary.number)", PacketWords.connection(summary) ?? "", summary.isSent ? "sent" : "received",
        Self.kind(summary.opcode), PacketWords.hex(UInt64(handle), 4), decoder.attributeName(at: place) ?? "",
        value.hexadecimal, text,
      ]
      rows.append(cells.map(Self.quoted).joined(separator: ","))
    }
    return rows
  }

  private static func kind(_ opcode: UInt16) -> String {
    switch opcode {
    case 0x0B, 0x0D: "read"
    case 0x12, 0x16, 0x17, 0x52, 0xD2: "write"
    case 0x1B, 0x23: "notification"
    case 0x1D: "indication"
    default: "other"
    }
  }

  private static func quoted(_ cell: String) -> String {
    guard cell.contains(where: { $0 == "," || $0 == "\"" || $0.isNewline }) else { return cell }
    return "\"" + cell.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
  }
}
