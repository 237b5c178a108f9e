/// Appends the fields of a layout to a buffer, which it owns meanwhile.
struct OctetEncoder: FieldVisitor, ~Copyable {
  private var buffer: OctetBuffer

  init(_ buffer: consuming OctetBuffer) { self.buffer = buffer }

  consuming func finish() -> OctetBuffer { buffer }

  mutating func integer<Value: FixedWidthInteger & Sendable>(_ name: String, _ value: inout Value) {
    buffer.append(littleEndian: value)
  }

  mutating func integer24(_ name: String, _ value: inout UInt32) {
    buffer.append(littleEndian: UInt16(truncatingIfNeeded: value))
    buffer.append(UInt8(truncatingIfNeeded: value >> 16))
  }

  /// Appends exactly `count` octets. A longer value is truncated and a shorter one padded with zeros, so that later fields keep their
  /// positions.
  mutating func octets(_ name: String, _ value: inout [UInt8], count: Int) {
    buffer.append(value.prefix(count))
    for _ in 0..<max(0, count - value.count) { buffer.append(0) }
  }

  mutating func remainder(_ name: String, _ value: inout [UInt8]) { buffer.append(value) }

  mutating func delimited<Value: DelimitedOctets>(_ name: String, _ value: inout Value) { value.encode(into: &buffer) }

  mutating func list<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault) {
    for index in 0..<min(count, entries.count) { try entries[index].visit(&self) }
  }

  mutating func remainingList<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    for index in entries.indices { try entries[index].visit(&self) }
  }
}
