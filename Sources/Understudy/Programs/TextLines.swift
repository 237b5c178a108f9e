/// Cuts a stream of octets into lines. A line that is too long is cut, and its rest is left out.
struct TextLines {
  /// No line is longer, in octets.
  static let limit = 65_536

  private var line: [UInt8] = []

  /// The lines that are whole now, without their ends; empty ones are none.
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

  /// What is left when the stream has ended.
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
