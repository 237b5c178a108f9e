/// A field of a layout with its octets, as shown to users.
public struct DescribedField: Hashable, Sendable {
  /// The field's name in the Core Specification.
  public var name: String
  /// The value, in hexadecimal for numbers and octets.
  public var value: String
  /// The meaning of the value, for example `Connection Timeout (0x08)`; nil if name and number are enough.
  public var meaning: String?
  /// The value of a field with a single number of at most 64 bits, as encoded.
  public var number: UInt64?
  /// The position of the octets, counted from the start of the layout.
  public var range: Range<Int>
  /// The nested fields of a list.
  public var children: [DescribedField]

  /// Creates a field.
  public init(
    _ name: String, _ value: String, meaning: String? = nil, number: UInt64? = nil, range: Range<Int>,
    children: [DescribedField] = []
  ) {
    self.name = name
    self.value = value
    self.meaning = meaning
    self.number = number
    self.range = range
    self.children = children
  }

  /// Returns the field, including nested ones, with its octets moved by this offset.
  public func moved(by offset: Int) -> DescribedField {
    var field = self
    field.range = range.lowerBound + offset..<range.upperBound + offset
    field.children = children.map { $0.moved(by: offset) }
    return field
  }
}

/// Reads the fields of a layout from octets, and records their names, values and positions.
struct FieldDescriber: FieldVisitor {
  private(set) var fields: [DescribedField] = []
  private let octets: [UInt8]
  private let end: Int
  private(set) var offset: Int

  /// Creates a describer of the octets in this range.
  init(_ octets: [UInt8], in range: Range<Int>) {
    self.octets = octets
    offset = range.lowerBound
    end = range.upperBound
  }

  private mutating func take(_ count: Int) throws(LayoutFault) -> Range<Int> {
    guard count >= 0, end - offset >= count else {
      throw .truncated(offset: offset, needed: count, available: end - offset)
    }
    defer { offset += count }
    return offset..<offset + count
  }

  /// Reads a number and records its digits.
  private mutating func number(_ name: String, width: Int) throws(LayoutFault) -> UInt64 {
    let range = try take(width)
    let number = octets[range].suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    fields.append(
      DescribedField(
        name, String(hexadecimalNumber: octets[range]), number: width <= 8 ? number : nil, range: range))
    return number
  }

  private mutating func note(_ name: String, _ range: Range<Int>) -> [UInt8] {
    let value = Array(octets[range])
    fields.append(DescribedField(name, value.hexadecimal, range: range))
    return value
  }

  private mutating func mean(_ meaning: String?) { fields[fields.count - 1].meaning = meaning }

  mutating func integer<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault) {
    value = Value(truncatingIfNeeded: try number(name, width: MemoryLayout<Value>.size))
    if Value.isSigned { mean("\(value)") }
  }

  mutating func integer24(_ name: String, _ value: inout UInt32) throws(LayoutFault) {
    value = UInt32(truncatingIfNeeded: try number(name, width: 3))
  }

  mutating func code<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    try integer(name, &raw)
    value = Code(rawValue: raw)
    if let meaning = value.meaning { mean(meaning) }
  }

  mutating func text(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    value = note(name, try take(count))
    mean(value.terminatedText)
  }

  mutating func code24<Code: OpenCode>(
    _ name: String, _ value: inout Code
  ) throws(LayoutFault) where Code.RawValue == UInt32 {
    value = Code(rawValue: UInt32(truncatingIfNeeded: try number(name, width: 3)))
    if let meaning = value.meaning { mean(meaning) }
  }

  mutating func bigEndian<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault) {
    let range = try take(MemoryLayout<Value>.size)
    value = octets[range].reduce(0) { $0 << 8 | Value(truncatingIfNeeded: $1) }
    fields.append(
      DescribedField(
        name, "0x" + octets[range].uppercaseHexadecimal, number: UInt64(truncatingIfNeeded: value), range: range))
    if Value.isSigned { mean("\(value)") }
  }

  mutating func bigEndianCode<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    try bigEndian(name, &raw)
    value = Code(rawValue: raw)
    if let meaning = value.meaning { mean(meaning) }
  }

  mutating func delimited<Value: DelimitedOctets>(_ name: String, _ value: inout Value) throws(LayoutFault) {
    let start = offset
    do throws(LayoutFault) {
      let (decoded, consumed) = try Value.decodePrefix(of: octets.span.extracting(start..<end))
      value = decoded
      fields.append(Value.describe(name, octets, in: try take(consumed)))
    } catch {
      throw error.moved(by: start)
    }
  }

  mutating func address(_ name: String, _ value: inout DeviceAddress) throws(LayoutFault) {
    value = DeviceAddress(littleEndianOctets: note(name, try take(6)))
    mean(value.description)
  }

  mutating func uuid(_ name: String, _ value: inout BluetoothUUID) throws(LayoutFault) {
    let range = offset..<end
    guard range.count != 4, let uuid = BluetoothUUID(littleEndianOctets: Array(octets[range])) else {
      throw .truncated(offset: offset, needed: range.count < 2 ? 2 : 16, available: range.count)
    }
    offset = end
    _ = note(name, range)
    value = uuid
    mean(uuid.assignedName.map { "\(uuid) (\($0.displayName))" } ?? uuid.description)
  }

  mutating func octets(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    value = note(name, try take(count))
  }

  mutating func remainder(_ name: String, _ value: inout [UInt8]) throws(LayoutFault) {
    value = note(name, try take(end - offset))
  }

  mutating func list<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault) {
    try collect(name, &entries) { entries, _ in entries < count }
  }

  mutating func remainingList<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    let end = end
    try collect(name, &entries) { _, offset in offset < end }
  }

  /// Describes entries while `goesOn` returns true for their number and the position of the next. Entries before a fault are kept.
  private mutating func collect<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], while goesOn: (Int, Int) -> Bool
  ) throws(LayoutFault) {
    let outer = fields
    let start = offset
    var children: [DescribedField] = []
    entries.removeAll()
    defer {
      fields = outer
      fields.append(
        DescribedField(name, "\(children.count)", range: start..<offset, children: children))
    }
    while goesOn(entries.count, offset) {
      let before = offset
      fields = []
      var entry = Entry()
      defer {
        children.append(DescribedField("\(Entry.self)", "", range: before..<offset, children: fields))
      }
      try entry.visit(&self)
      entries.append(entry)
      // Entries without fields would never reach the end.
      guard offset > before else { throw .trailing(offset: offset, extra: end - offset) }
    }
  }
}

extension OctetLayout {
  /// Returns the fields of octets in this layout, in wire order, as far as the octets suffice, and the fault that ends them, if any. Octets
  /// after the layout are left to the caller.
  ///
  /// - Parameter range: Where the layout is in the octets; nil if they contain nothing else.
  public static func describe(
    _ octets: [UInt8], in range: Range<Int>? = nil
  ) -> (fields: [DescribedField], fault: LayoutFault?) {
    var describer = FieldDescriber(octets, in: range ?? 0..<octets.count)
    var value = Self()
    do throws(LayoutFault) {
      try value.visit(&describer)
      return (describer.fields, nil)
    } catch {
      return (describer.fields, error)
    }
  }

  /// The fields with their names and values, in wire order.
  public var described: [DescribedField] { Self.describe(encoded).fields }
}
