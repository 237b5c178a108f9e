/// Reads the fields of a layout from octets. It exists only inside `OctetLayout.decodePrefix`, so the octets outlive it.
@usableFromInline
struct OctetDecoder: FieldVisitor {
  @usableFromInline let bytes: UnsafeRawBufferPointer
  @usableFromInline var offset = 0

  @inlinable
  init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

  @inlinable
  mutating func take(_ count: Int) throws(LayoutFault) -> Int {
    let start = offset
    guard count >= 0, bytes.count - start >= count else {
      throw .truncated(offset: start, needed: count, available: bytes.count - start)
    }
    offset = start + count
    return start
  }

  @inlinable
  mutating func integer<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault) {
    let start = try take(MemoryLayout<Value>.size)
    value = Value(littleEndian: bytes.loadUnaligned(fromByteOffset: start, as: Value.self))
  }

  @inlinable
  mutating func integer24(_ name: String, _ value: inout UInt32) throws(LayoutFault) {
    let start = try take(3)
    value = UInt32(bytes[start]) | UInt32(bytes[start + 1]) << 8 | UInt32(bytes[start + 2]) << 16
  }

  @inlinable
  mutating func octets(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    let start = try take(count)
    value = Array(bytes[start..<(start + count)])
  }

  @inlinable
  mutating func remainder(_ name: String, _ value: inout [UInt8]) throws(LayoutFault) {
    value = Array(bytes[offset...])
    offset = bytes.count
  }

  @inlinable
  mutating func delimited<Value: DelimitedOctets>(_ name: String, _ value: inout Value) throws(LayoutFault) {
    let start = offset
    let rest = unsafe Span<UInt8>(_unsafeBytes: UnsafeRawBufferPointer(rebasing: bytes[start...]))
    do throws(LayoutFault) {
      let (decoded, consumed) = try Value.decodePrefix(of: rest)
      value = decoded
      _ = try take(consumed)
    } catch {
      throw error.moved(by: start)
    }
  }

  @inlinable
  mutating func list<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault) {
    entries.removeAll()
    for _ in 0..<max(0, count) {
      var entry = Entry()
      try entry.visit(&self)
      entries.append(entry)
    }
  }

  @inlinable
  mutating func remainingList<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    entries.removeAll()
    while offset < bytes.count {
      let before = offset
      var entry = Entry()
      try entry.visit(&self)
      entries.append(entry)
      // Entries without fields would never reach the end.
      guard offset > before else { throw .trailing(offset: offset, extra: bytes.count - offset) }
    }
  }
}
