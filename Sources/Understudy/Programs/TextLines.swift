/// Splits a stream of octets into lines. The rest of a line that is too long is dropped.
struct TextLines {
  /// The maximum length of a line, in octets.
  static let limit = 65_536

  private var line: [UInt8] = []

  /// Returns the lines that are now complete, without their line ends. Empty lines are skipped.
  mutating func take(_ octets: [UInt8]) -> [[UInt8]] {
    var lines: [[UInt8]] = []
    for octet in octets {
      if octet == 0x0A {
        finish(&lines)
      } else if line.count < Self.limit {
        line.append(octet)
      }
    }
    return lines
  }

  /// Returns the remaining line after the stream has ended.
  mutating func takeRest() -> [[UInt8]] {
    var lines: [[UInt8]] = []
    finish(&lines)
    return lines
  }

  private mutating func finish(_ lines: inout [[UInt8]]) {
    if line.last == 0x0D { line.removeLast() }
    if !line.isEmpty { lines.append(line) }
    line = []
  }
}
