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
  private(set) var offset = 0

  init(_ octets: [UInt8]) { self.octets = octets }

  private mutating func take(_ count: Int) throws(LayoutFault) -> Range<Int> {
    guard count >= 0, octets.count - offset >= count else {
      throw .truncated(offset: offset, needed: count, available: octets.count - offset)
    }
    defer { offset += count }
    return offset..<offset + count
  }

  /// Reads a number and records its digits.
  private mutating func number(_ name: StaticString, width: Int) throws(LayoutFault) -> UInt64 {
    let range = try take(width)
    let number = octets[range].suffix(8).reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    let digits = octets[range].reversed().uppercaseHexadecimal
    fields.append(
      DescribedField(name.description, "0x" + digits, number: width <= 8 ? number : nil, range: range))
    return number
  }

  private mutating func note(_ name: StaticString, _ range: Range<Int>, meaning: String? = nil) -> [UInt8] {
    let value = Array(octets[range])
    fields.append(DescribedField(name.description, value.hexadecimal, meaning: meaning, range: range))
    return value
  }

  private mutating func mean(_ meaning: String) { fields[fields.count - 1].meaning = meaning }

  mutating func integer<Value: FixedWidthInteger & Sendable>(
    _ name: StaticString, _ value: inout Value
  ) throws(LayoutFault) {
    value = Value(truncatingIfNeeded: try number(name, width: MemoryLayout<Value>.size))
    if Value.isSigned { mean("\(value)") }
  }

  mutating func integer24(_ name: StaticString, _ value: inout UInt32) throws(LayoutFault) {
    value = UInt32(truncatingIfNeeded: try number(name, width: 3))
  }

  mutating func code<Code: OpenCode>(_ name: StaticString, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    try integer(name, &raw)
    value = Code(rawValue: raw)
    if let named = value as? any CustomStringConvertible { mean(named.description) }
  }

  mutating func address(_ name: StaticString, _ value: inout DeviceAddress) throws(LayoutFault) {
    value = DeviceAddress(littleEndianOctets: note(name, try take(6)))
    mean(value.description)
  }

  mutating func uuid(_ name: StaticString, _ value: inout BluetoothUUID) throws(LayoutFault) {
    let range = offset..<octets.count
    guard range.count != 4, let uuid = BluetoothUUID(littleEndianOctets: Array(octets[range])) else {
      throw .truncated(offset: offset, needed: range.count < 2 ? 2 : 16, available: range.count)
    }
    offset = octets.count
    _ = note(name, range)
    value = uuid
    mean(uuid.assignedName.map { "\(uuid) (\($0.displayName))" } ?? uuid.description)
  }

  mutating func octets(_ name: StaticString, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    value = note(name, try take(count))
  }

  mutating func remainder(_ name: StaticString, _ value: inout [UInt8]) throws(LayoutFault) {
    value = note(name, try take(octets.count - offset))
  }

  mutating func list<Entry: OctetLayout>(
    _ name: StaticString, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault) {
    try collect(name, &entries) { entries, _ in entries < count }
  }

  mutating func remainingList<Entry: OctetLayout>(
    _ name: StaticString, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    let end = octets.count
    try collect(name, &entries) { _, offset in offset < end }
  }

  /// Describes entries while `goesOn` returns true for their number and the position of the next. Entries before a fault are kept.
  private mutating func collect<Entry: OctetLayout>(
    _ name: StaticString, _ entries: inout [Entry], while goesOn: (Int, Int) -> Bool
  ) throws(LayoutFault) {
    let outer = fields
    let start = offset
    var children: [DescribedField] = []
    entries.removeAll()
    defer {
      fields = outer
      fields.append(
        DescribedField(name.description, "\(children.count)", range: start..<offset, children: children))
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
      guard offset > before else { throw .trailing(offset: offset, extra: octets.count - offset) }
    }
  }
}

extension OctetLayout {
  /// Returns the fields of octets in this layout, in wire order, as far as the octets suffice, and the fault that ends them, if any. Octets
  /// after the layout are left to the caller.
  public static func describe(_ octets: [UInt8]) -> (fields: [DescribedField], fault: LayoutFault?) {
    var describer = FieldDescriber(octets)
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
