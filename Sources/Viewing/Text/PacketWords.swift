import BLECore
import Capture
import Decoding

/// The texts of packets that all views share. They may contain control characters.
package enum PacketWords {
  /// Returns the time of day in UTC, with microseconds.
  package static func clock(_ nanoseconds: Int64) -> String { String { writeClock(nanoseconds, to: &$0) } }

  private static func writeClock(_ nanoseconds: Int64, to text: inout OctetBuffer) {
    let day: Int64 = 86_400_000_000
    let microseconds = ((nanoseconds / 1000) % day + day) % day
    let seconds = microseconds / 1_000_000
    text.append(decimal: seconds / 3600, width: 2)
    text.append(UInt8(ascii: ":"))
    text.append(decimal: seconds / 60 % 60, width: 2)
    text.append(UInt8(ascii: ":"))
    text.append(decimal: seconds % 60, width: 2)
    text.append(UInt8(ascii: "."))
    text.append(decimal: microseconds % 1_000_000, width: 6)
  }

  /// Returns a time in milliseconds or seconds, with three decimals.
  package static func span(_ nanoseconds: Int64) -> String {
    let milliseconds = Double(nanoseconds) / 1e6
    return abs(milliseconds) < 1000 ? "\(rounded(milliseconds)) ms" : "\(rounded(milliseconds / 1000)) s"
  }

  /// Returns a time in seconds, with three decimals.
  package static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = Int64(clamping: (nanoseconds.magnitude + 500_000) / 1_000_000)
    return (nanoseconds < 0 ? "-" : "") + "\(milliseconds / 1000).\(zeros(milliseconds % 1000)) s"
  }

  /// Returns the columns before a packet's text: time, type, connection, address.
  package static func columns(_ summary: PacketSummary) -> String { String { writeColumns(of: summary, to: &$0) } }

  /// Appends the columns before a packet's text: time, type, connection, address.
  package static func writeColumns(of summary: PacketSummary, to text: inout OctetBuffer) {
    var start = text.count
    func end(_ width: Int, _ text: inout OctetBuffer) {
      text.pad(from: start, to: width)
      start = text.count
    }
    writeClock(summary.nanoseconds, to: &text)
    end(15 + 2, &text)
    text.append(PacketDecoder.typeText(of: summary))
    end(14 + 2, &text)
    if let handle = summary.handle { text.append(hexadecimalNumber: UInt64(handle), width: 4) }
    end(6 + 2, &text)
    if let address = summary.address { text.append(DeviceAddress(bits: address)) }
    end(17, &text)
  }

  /// Returns the connection of a packet, such as `0x0040 C4:64:E3:00:00:01`; nil if it has none.
  package static func connection(_ summary: PacketSummary) -> String? {
    guard let number = summary.handle.map({ UInt64($0) }) ?? summary.accessAddress.map({ UInt64($0) }) else {
      return nil
    }
    let address = summary.address.map { " " + DeviceAddress(bits: $0).description } ?? ""
    return hex(number, summary.handle == nil ? 8 : 4) + address
  }

  /// Returns the remarks on a packet, to follow its text: `  # flagged  # Why?`.
  package static func remarks(_ record: CaptureRecord) -> String { String { writeRemarks(on: record, to: &$0) } }

  /// Appends the remarks on a packet, to follow its text: `  # flagged  # Why?`.
  package static func writeRemarks(on record: CaptureRecord, to text: inout OctetBuffer) {
    for remark in record.remarks {
      text.append("  # ")
      text.append(remark)
    }
  }

  /// Returns a field as one line: its name, value, meaning and first octets.
  package static func line(of field: DescribedField, _ octets: [UInt8]) -> String {
    let place =
      field.range.isEmpty ? "" : " [\(octets[field.range.clamped(to: octets.indices)].prefix(16).hexadecimal)]"
    // Show the number beside its name, because the number is what was sent.
    let isNameOnly = field.number != nil && !(field.meaning?.contains("0x") ?? true)
    let value =
      field.meaning.map { isNameOnly ? "\(field.value), \($0)" : $0 } ?? (field.children.isEmpty ? field.value : "")
    return field.name + (value.isEmpty ? "" : ": " + value) + place
  }

  /// Returns octets in lines of sixteen, each with its offset.
  package static func hexLines(_ octets: [UInt8]) -> [String] {
    stride(from: 0, to: octets.count, by: 16).map { start in
      let line = octets[start..<min(octets.count, start + 16)]
      return hex(UInt64(start), 4).dropFirst(2) + "  " + line.map { [$0].hexadecimal }.joined(separator: " ")
    }
  }

  /// Returns the number with at least this many hexadecimal digits: `0x0040`.
  package static func hex(_ value: UInt64, _ width: Int) -> String {
    String { $0.append(hexadecimalNumber: value, width: width) }
  }

  /// Returns the text, padded with spaces to this width.
  package static func padded(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(0, width - text.count))
  }

  /// Returns the number with at most three decimals.
  package static func rounded(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "?" }
    let rounded = (value * 1000).rounded() / 1000
    return rounded == rounded.rounded() ? "\(Int64(rounded))" : "\(rounded)"
  }

  private static func zeros(_ value: Int64) -> String { String { $0.append(decimal: value, width: 3) } }
}
