import BLECore

extension DataElement: DelimitedOctets {
  /// The element on a line: `[SerialPort (0x1101), 0x0100, "Name"]`. An alternative has vertical bars, and a URL angle brackets.
  public var description: String {
    switch self {
    case .null: "nil"
    case .unsigned8, .unsigned16, .unsigned32, .unsigned64, .unsigned128:
      "0x" + encoded.dropFirst().uppercaseHexadecimal
    case .signed8(let value): "\(value)"
    case .signed16(let value): "\(value)"
    case .signed32(let value): "\(value)"
    case .signed64(let value): "\(value)"
    case .signed128: "signed 0x" + encoded.dropFirst().uppercaseHexadecimal
    case .uuid16, .uuid32, .uuid128: uuid?.discoveryText ?? ""
    case .text(let octets): Self.quoted(octets)
    case .boolean(let value): value ? "true" : "false"
    case .sequence(let elements): "[" + elements.map(\.description).joined(separator: ", ") + "]"
    case .alternative(let elements): "(" + elements.map(\.description).joined(separator: " | ") + ")"
    case .url(let octets): "<" + Self.quoted(octets).dropFirst().dropLast() + ">"
    }
  }

  /// Returns the text in quotes, or the octets in hexadecimal if they are not UTF-8. Texts may end with NUL.
  private static func quoted(_ octets: [UInt8]) -> String {
    let content = octets.last == 0 ? octets.dropLast() : octets[...]
    guard let text = String(validating: content, as: UTF8.self) else { return "'" + octets.hexadecimal + "'" }
    return String { $0.append(quoted: text) }
  }

  /// What a sequence contains, which its octets do not tell.
  public enum Shape: Hashable, Sendable {
    case elements
    /// Pairs of an attribute's id and its value (Core 5.4 Vol 3 Part B 4.6.2).
    case attributes
    /// Lists of attributes, one for each record (Core 5.4 Vol 3 Part B 4.7.2).
    case attributeLists
  }

  /// Returns the element that fills a range of the octets as a field, with the elements of a sequence as nested fields.
  public static func describe(_ name: String, _ octets: [UInt8], in range: Range<Int>) -> DescribedField {
    describe(name, octets, in: range, as: .elements)
  }

  /// Returns the element that fills a range of the octets as a field, with the elements of a sequence as nested fields: named by their
  /// types, or values by their attributes.
  public static func describe(
    _ name: String, _ octets: [UInt8], in range: Range<Int>, as shape: Shape
  ) -> DescribedField {
    describe(name, octets, in: range, as: shape, depth: 0)
  }

  private static func describe(
    _ name: String, _ octets: [UInt8], in range: Range<Int>, as shape: Shape, depth: Int
  ) -> DescribedField {
    let plain = DescribedField(name, octets[range].hexadecimal, range: range)
    guard depth <= maximumDepth,
      let header = try? DataElementHeader(octets.span, at: range.lowerBound, end: range.upperBound)
    else { return plain }
    guard header.type.isContainer else {
      guard let element = try? DataElement(decoding: octets.span.extracting(range)) else { return plain }
      return DescribedField(
        name, plain.value, meaning: element.description, number: element.unsigned, range: range)
    }
    var children: [DescribedField] = []
    var reader = DataElementReader(header.content)
    var attribute: AttributeID?
    var start = reader.offset
    while let inner = try? reader.next(in: octets.span) {
      defer { start = reader.offset }
      if shape == .attributes, children.count.isMultiple(of: 2), inner.type == .unsigned, inner.content.count == 2 {
        let id = AttributeID(rawValue: UInt16(truncatingIfNeeded: octets.span.bigEndian(inner.content)))
        attribute = id
        children.append(
          DescribedField(
            "Attribute ID", id.rawValue.hexadecimalText, meaning: id.name, number: UInt64(id.rawValue),
            range: start..<reader.offset))
      } else {
        let childName = attribute.map(\.description) ?? inner.type.fieldName
        attribute = nil
        children.append(
          describe(
            childName, octets, in: start..<reader.offset, as: shape == .attributeLists ? .attributes : .elements,
            depth: depth + 1))
      }
    }
    return DescribedField(name, "\(children.count)", range: range, children: children)
  }
}

extension DataElementType {
  /// The name of a nested field of this type.
  fileprivate var fieldName: String {
    switch self {
    case .null: "Nil"
    case .unsigned: "Unsigned Integer"
    case .signed: "Signed Integer"
    case .uuid: "UUID"
    case .text: "Text"
    case .boolean: "Boolean"
    case .sequence: "Sequence"
    case .alternative: "Alternative"
    case .url: "URL"
    }
  }
}

extension BluetoothUUID {
  /// The UUID with its name: `L2CAP (0x0100)`. Without a name it is `UUID 0x1234`, or the full form.
  package var discoveryText: String {
    let number = short.map(\.hexadecimalText) ?? medium.map { "0x" + [UInt8]($0.bigEndianOctets).uppercaseHexadecimal }
    let digits = number ?? description
    return discoveryName.map { "\($0) (\(digits))" } ?? "UUID \(digits)"
  }
}

extension UInt32 {
  fileprivate var bigEndianOctets: [UInt8] { littleEndianOctets.reversed() }
}
