import BLECore
import Capture
import Decoding

/// The texts of packets that all views share. They may contain control characters.
package enum PacketWords {
  /// Returns the time of day in UTC, with microseconds.
  package static func clock(_ nanoseconds: Int64) -> String {
    let day: Int64 = 86_400_000_000
    let microseconds = ((nanoseconds / 1000) % day + day) % day
    let seconds = microseconds / 1_000_000
    return "\(two(seconds / 3600)):\(two(seconds / 60 % 60)):\(two(seconds % 60))."
      + zeros(microseconds % 1_000_000, 6)
  }

  /// Returns a time in milliseconds or seconds, with three decimals.
  package static func span(_ nanoseconds: Int64) -> String {
    let milliseconds = Double(nanoseconds) / 1e6
    return abs(milliseconds) < 1000 ? "\(rounded(milliseconds)) ms" : "\(rounded(milliseconds / 1000)) s"
  }

  /// Returns a time in seconds, with three decimals.
  package static func seconds(_ nanoseconds: Int64) -> String {
    let milliseconds = Int64(clamping: (nanoseconds.magnitude + 500_000) / 1_000_000)
    return (nanoseconds < 0 ? "-" : "") + "\(milliseconds / 1000).\(zeros(milliseconds % 1000, 3)) s"
  }

  /// Returns the columns before a packet's text: time, type, connection, address.
  package static func columns(_ summary: PacketSummary) -> String {
    let handle = summary.handle.map { hex(UInt64($0), 4) } ?? ""
    let address = summary.address.map { DeviceAddress(bits: $0).description } ?? ""
    return [
      padded(clock(summary.nanoseconds), 15), padded(PacketDecoder.typeText(of: summary), 14), padded(handle, 6),
      padded(address, 17),
    ].joined(separator: "  ")
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
  package static func remarks(_ record: CaptureRecord) -> String { record.remarks.map { "  # " + $0 }.joined() }

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
    let digits = String(value, radix: 16, uppercase: true)
    return "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits
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

  private static func two(_ value: Int64) -> String { zeros(value, 2) }

  private static func zeros(_ value: Int64, _ width: Int) -> String {
    let digits = String(value)
    return String(repeating: "0", count: max(0, width - digits.count)) + digits
  }
}
