/// One field of a decoded layout, as a dissector shows it.
public struct DescribedField: Hashable, Sendable {
  /// The field's name in the Core Specification.
  public var name: String
  /// The value, in hexadecimal for numbers and octets.
  public var value: String
  /// The fields inside, for lists.
  public var children: [DescribedField] = []
}

/// Turns the fields of a layout into names and values.
struct FieldDescriber: FieldVisitor {
  private(set) var fields: [DescribedField] = []

  private mutating func note(_ name: StaticString, _ value: String, _ children: [DescribedField] = []) {
    fields.append(DescribedField(name: name.description, value: value, children: children))
  }

  mutating func integer<Value: FixedWidthInteger & Sendable>(_ name: StaticString, _ value: inout Value) {
    let digits = String(Value.Magnitude(truncatingIfNeeded: value), radix: 16, uppercase: true)
    let width = MemoryLayout<Value>.size * 2
    note(name, "0x" + String(repeating: "0", count: max(0, width - digits.count)) + digits)
  }

  mutating func integer24(_ name: StaticString, _ value: inout UInt32) { integer(name, &value) }

  mutating func octets(_ name: StaticString, _ value: inout [UInt8], count: Int) { note(name, value.hexadecimal) }

  mutating func remainder(_ name: StaticString, _ value: inout [UInt8]) { note(name, value.hexadecimal) }

  mutating func list<Entry: OctetLayout>(
    _ name: StaticString, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault) {
    note(
      name, "\(entries.count)", entries.map { DescribedField(name: "\(Entry.self)", value: "", children: $0.described) }
    )
  }

  mutating func remainingList<Entry: OctetLayout>(
    _ name: StaticString, _ entries: inout [Entry]
  ) throws(LayoutFault) {
    try list(name, &entries, count: entries.count)
  }
}

extension OctetLayout {
  /// The fields with their names and values, in the order of the wire.
  public var described: [DescribedField] {
    var describer = FieldDescriber()
    var value = self
    // A describer takes every value; only decoders throw.
    try? value.visit(&describer)
    return describer.fields
  }
}
