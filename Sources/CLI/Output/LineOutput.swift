import BLECore

/// Lines for standard output that are written in blocks, because a system call for each takes longer than to make it.
struct LineOutput: ~Copyable {
  /// The number of octets after which they are written.
  private static let limit = 1 << 16

  private var buffer = OctetBuffer(minimumCapacity: 1 << 17)

  /// Appends a line.
  mutating func print(_ line: TerminalText) { print { $0.append(line.rendered) } }

  /// Appends the line that `write` appends.
  mutating func print(_ write: (inout OctetBuffer) -> Void) {
    write(&buffer)
    buffer.append(UInt8(ascii: "\n"))
    if buffer.count >= Self.limit { flush() }
  }

  /// Writes what is pending: before the program waits, or writes to standard error.
  mutating func flush() {
    buffer.withSpan { Terminal.write($0) }
    buffer.removeAll()
  }
}

extension OctetBuffer {
  /// Appends the untrusted text that `write` appends, in a style.
  mutating func append(_ style: Terminal.Style, _ write: (inout OctetBuffer) -> Void) {
    if Terminal.outputHasColour { append(style.beginning) }
    append(untrusted: write)
    if Terminal.outputHasColour { append(Terminal.Style.end) }
  }

  /// Appends the untrusted text that `write` appends, with its control characters escaped.
  mutating func append(untrusted write: (inout OctetBuffer) -> Void) {
    let start = count
    write(&self)
    if !isPrintable(from: start) { append(TerminalText(removeText(from: start)).rendered) }
  }
}
