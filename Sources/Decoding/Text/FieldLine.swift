import BLECore

/// Writes the first fields of a layout on a line, each as a part with its meaning, or else its value, as in its `DescribedField`.
///
/// A description of all fields takes several times as long, and there is a line for every packet.
struct FieldLine: FieldVisitor, ~Copyable {
  private var text: OctetBuffer
  private let octets: [UInt8]
  private var offset: Int
  private let omitted: [String]
  /// How many more fields fit on the line.
  private var free: Int
  /// How many lists contain the next field. Only fields outside of lists are shown.
  private var depth = 0

  /// Creates a writer of the octets from `offset` on. `limit` counts the omitted fields too.
  init(_ text: consuming OctetBuffer, _ octets: [UInt8], from offset: Int, limit: Int, omitting omitted: [String]) {
    self.text = text
    self.octets = octets
    self.offset = offset
    self.omitted = omitted
    free = limit
  }

  /// Returns the line.
  consuming func finish() -> OctetBuffer { text }

  /// Writes a layout, and whatever follows it or remains of it.
  mutating func write<Layout: OctetLayout>(_: Layout.Type) {
    var layout = Layout()
    do throws(LayoutFault) {
      try layout.visit(&self)
      if offset < octets.count { rest("Undecoded") }
    } catch .truncated {
      rest("Cut Off")
    } catch {
      if offset < octets.count { rest("Undecoded") }
    }
  }

  /// Writes all remaining octets as a field.
  mutating func rest(_ name: String) {
    let range = offset..<octets.count
    offset = octets.count
    if begins(name) { write(octets[range]) }
  }

  /// Begins the part of a field, if it is shown.
  private mutating func begins(_ name: String) -> Bool {
    guard depth == 0, free > 0 else { return false }
    free -= 1
    guard !omitted.contains(name) else { return false }
    text.appendName(name)
    return true
  }

  private mutating func write(_ octets: ArraySlice<UInt8>) {
    let start = text.count
    text.append(hexadecimal: octets)
    text.shorten(from: start)
  }

  private mutating func write(_ meaning: String) {
    let start = text.count
    text.append(meaning)
    text.shorten(from: start)
  }

  private mutating func take(_ count: Int) throws(LayoutFault) -> Range<Int> {
    guard count >= 0, octets.count - offset >= count else {
      throw .truncated(offset: offset, needed: count, available: octets.count - offset)
    }
    defer { offset += count }
    return offset..<offset + count
  }

  private mutating func load<Value: FixedWidthInteger>(_ value: inout Value) throws(LayoutFault) -> Range<Int> {
    let range = try take(MemoryLayout<Value>.size)
    // The generic ways to make a number of octets take longer than the rest of a field.
    withUnsafeMutableBytes(of: &value) { $0.copyBytes(from: octets[range]) }
    value = Value(littleEndian: value)
    return range
  }

  // MARK: Fields

  mutating func integer<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault) {
    let range = try load(&value)
    guard begins(name) else { return }
    if Value.isSigned { text.append("\(value)") } else { text.append(hexadecimalNumber: octets[range]) }
  }

  mutating func integer24(_ name: String, _ value: inout UInt32) throws(LayoutFault) {
    let range = try take(3)
    value = octets[range].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    if begins(name) { text.append(hexadecimalNumber: octets[range]) }
  }

  mutating func code<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    let range = try load(&raw)
    value = Code(rawValue: raw)
    guard begins(name) else { return }
    if let meaning = value.meaning { write(meaning) } else { text.append(hexadecimalNumber: octets[range]) }
  }

  mutating func text(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    value = Array(octets[try take(count)])
    if begins(name) { write(value.terminatedText) }
  }

  mutating func code24<Code: OpenCode>(
    _ name: String, _ value: inout Code
  ) throws(LayoutFault) where Code.RawValue == UInt32 {
    let range = try take(3)
    value = Code(rawValue: octets[range].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    guard begins(name) else { return }
    if let meaning = value.meaning { write(meaning) } else { text.append(hexadecimalNumber: octets[range]) }
  }

  mutating func bigEndian<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault) {
    let range = try load(&value)
    value = value.byteSwapped
    guard begins(name) else { return }
    if Value.isSigned { text.append("\(value)") } else { text.append("0x" + octets[range].uppercaseHexadecimal) }
  }

  mutating func bigEndianCode<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    let range = try load(&raw)
    value = Code(rawValue: raw.byteSwapped)
    guard begins(name) else { return }
    if let meaning = value.meaning { write(meaning) } else { text.append("0x" + octets[range].uppercaseHexadecimal) }
  }

  mutating func delimited<Value: DelimitedOctets>(_ name: String, _ value: inout Value) throws(LayoutFault) {
    let start = offset
    do throws(LayoutFault) {
      let (decoded, consumed) = try Value.decodePrefix(of: octets.span.extracting(start...))
      value = decoded
      _ = try take(consumed)
    } catch {
      throw error.moved(by: start)
    }
    if begins(name) { write(value.description) }
  }

  mutating func address(_ name: String, _ value: inout DeviceAddress) throws(LayoutFault) {
    value = DeviceAddress(littleEndianOctets: Array(octets[try take(6)]))
    if begins(name) { text.append(value) }
  }

  mutating func octets(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    let range = try take(count)
    value = Array(octets[range])
    if begins(name) { write(octets[range]) }
  }

  mutating func remainder(_ name: String, _ value: inout [UInt8]) throws(LayoutFault) {
    try octets(name, &value, count: octets.count - offset)
  }

  mutating func list<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault) {
    try visit(name, &entries) { entries, _ in entries < count }
  }

  mutating func remainingList<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    let end = octets.count
    try visit(name, &entries) { _, offset in offset < end }
  }

  /// Writes the number of entries. A cut off entry counts.
  private mutating func visit<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], while goesOn: (Int, Int) -> Bool
  ) throws(LayoutFault) {
    entries.removeAll()
    var begun = 0
    depth += 1
    defer {
      depth -= 1
      if begins(name) { text.append(decimal: Int64(begun)) }
    }
    while goesOn(entries.count, offset) {
      let before = offset
      var entry = Entry()
      begun += 1
      try entry.visit(&self)
      entries.append(entry)
      guard offset > before else { throw .trailing(offset: offset, extra: octets.count - offset) }
    }
  }
}

extension OctetBuffer {
  /// Appends the first fields of the layout of all octets from `offset` on, or else these octets under a name.
  mutating func append(
    _ layout: (any OctetLayout.Type)?, or name: String, _ octets: [UInt8], from offset: Int,
    limit: Int = Self.fieldLimit, omitting omitted: [String] = []
  ) {
    guard octets.count >= offset else { return }
    var line = FieldLine(self, octets, from: offset, limit: limit, omitting: omitted)
    if let layout {
      line.write(layout)
    } else if octets.count > offset {
      line.rest(name)
    }
    self = line.finish()
  }
}
