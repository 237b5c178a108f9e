import BLECore

extension DataElement {
  /// Decodes octets that contain exactly one element. Refuses elements that do not fit their sequence, unknown types and sizes, too deep
  /// nesting, and too many elements.
  public init(decoding octets: Span<UInt8>) throws(LayoutFault) {
    let (value, consumed) = try Self.decodePrefix(of: octets)
    guard consumed == octets.count else { throw .trailing(offset: consumed, extra: octets.count - consumed) }
    self = value
  }

  /// Decodes octets that contain exactly one element.
  public init(decoding octets: [UInt8]) throws(LayoutFault) { try self.init(decoding: octets.span) }

  /// Decodes the element at the start of `octets`, and returns how many octets it used.
  public static func decodePrefix(of octets: Span<UInt8>) throws(LayoutFault) -> (value: DataElement, consumed: Int) {
    var budget = maximumCount
    let header = try DataElementHeader(octets, at: 0, end: octets.count)
    return (try decode(header, in: octets, depth: 0, budget: &budget), header.content.upperBound)
  }

  private static func decode(
    _ header: DataElementHeader, in octets: Span<UInt8>, depth: Int, budget: inout Int
  ) throws(LayoutFault) -> DataElement {
    let content = header.content
    budget -= 1
    guard budget >= 0, depth <= maximumDepth else { throw .malformed(offset: content.lowerBound) }
    switch header.type {
    case .null: return .null
    case .unsigned: return unsigned(content, in: octets)
    case .signed: return signed(content, in: octets)
    case .uuid:
      switch content.count {
      case 2: return .uuid16(UInt16(truncatingIfNeeded: octets.bigEndian(content)))
      case 4: return .uuid32(UInt32(truncatingIfNeeded: octets.bigEndian(content)))
      default: return .uuid128(header.uuid(in: octets) ?? BluetoothUUID(0))
      }
    case .text: return .text(copy(content, of: octets))
    case .boolean: return .boolean(octets[content.lowerBound] != 0)
    case .url: return .url(copy(content, of: octets))
    case .sequence, .alternative:
      var elements: [DataElement] = []
      var reader = DataElementReader(content)
      while let inner = try reader.next(in: octets) {
        elements.append(try decode(inner, in: octets, depth: depth + 1, budget: &budget))
      }
      return header.type == .sequence ? .sequence(elements) : .alternative(elements)
    }
  }

  private static func copy(_ range: Range<Int>, of octets: Span<UInt8>) -> [UInt8] {
    octets.extracting(range).withUnsafeBufferPointer { Array($0) }
  }

  private static func unsigned(_ content: Range<Int>, in octets: Span<UInt8>) -> DataElement {
    let low = octets.bigEndian(content.suffix(8))
    return switch content.count {
    case 1: .unsigned8(UInt8(truncatingIfNeeded: low))
    case 2: .unsigned16(UInt16(truncatingIfNeeded: low))
    case 4: .unsigned32(UInt32(truncatingIfNeeded: low))
    case 8: .unsigned64(low)
    default: .unsigned128(high: octets.bigEndian(content.prefix(8)), low: low)
    }
  }

  private static func signed(_ content: Range<Int>, in octets: Span<UInt8>) -> DataElement {
    let low = octets.bigEndian(content.suffix(8))
    return switch content.count {
    case 1: .signed8(Int8(truncatingIfNeeded: low))
    case 2: .signed16(Int16(truncatingIfNeeded: low))
    case 4: .signed32(Int32(truncatingIfNeeded: low))
    case 8: .signed64(Int64(bitPattern: low))
    default: .signed128(high: Int64(bitPattern: octets.bigEndian(content.prefix(8))), low: low)
    }
  }

  // MARK: Encoding

  /// The element's octets, with each length in its shortest form.
  public var encoded: [UInt8] {
    var buffer = OctetBuffer(minimumCapacity: 64)
    encode(into: &buffer)
    return buffer.copy()
  }

  /// Appends the element's octets, with each length in its shortest form.
  public func encode(into buffer: inout OctetBuffer) {
    switch self {
    case .null: buffer.append(0)
    case .unsigned8(let value): Self.append(.unsigned, 0, value, to: &buffer)
    case .unsigned16(let value): Self.append(.unsigned, 1, value, to: &buffer)
    case .unsigned32(let value): Self.append(.unsigned, 2, value, to: &buffer)
    case .unsigned64(let value): Self.append(.unsigned, 3, value, to: &buffer)
    case .unsigned128(let high, let low):
      Self.append(.unsigned, 4, high, to: &buffer)
      buffer.append(bigEndian: low)
    case .signed8(let value): Self.append(.signed, 0, value, to: &buffer)
    case .signed16(let value): Self.append(.signed, 1, value, to: &buffer)
    case .signed32(let value): Self.append(.signed, 2, value, to: &buffer)
    case .signed64(let value): Self.append(.signed, 3, value, to: &buffer)
    case .signed128(let high, let low):
      Self.append(.signed, 4, high, to: &buffer)
      buffer.append(bigEndian: low)
    case .uuid16(let value): Self.append(.uuid, 1, value, to: &buffer)
    case .uuid32(let value): Self.append(.uuid, 2, value, to: &buffer)
    case .uuid128(let value):
      Self.append(.uuid, 4, value.high, to: &buffer)
      buffer.append(bigEndian: value.low)
    case .boolean(let value): Self.append(.boolean, 0, UInt8(value ? 1 : 0), to: &buffer)
    case .text(let octets): Self.append(.text, octets, to: &buffer)
    case .url(let octets): Self.append(.url, octets, to: &buffer)
    case .sequence(let elements): Self.append(.sequence, elements, to: &buffer)
    case .alternative(let elements): Self.append(.alternative, elements, to: &buffer)
    }
  }

  /// The number of the element's octets when it is encoded.
  public var octetCount: Int {
    switch self {
    case .null: 1
    case .unsigned8, .signed8, .boolean: 2
    case .unsigned16, .signed16, .uuid16: 3
    case .unsigned32, .signed32, .uuid32: 5
    case .unsigned64, .signed64: 9
    case .unsigned128, .signed128, .uuid128: 17
    case .text(let octets), .url(let octets): Self.headerLength(octets.count) + octets.count
    case .sequence(let elements), .alternative(let elements):
      Self.headerLength(Self.contentLength(elements)) + Self.contentLength(elements)
    }
  }

  private static func contentLength(_ elements: [DataElement]) -> Int { elements.reduce(0) { $0 + $1.octetCount } }

  private static func headerLength(_ length: Int) -> Int { length <= 0xFF ? 2 : length <= 0xFFFF ? 3 : 5 }

  private static func append<Value: FixedWidthInteger>(
    _ type: DataElementType, _ sizeIndex: UInt8, _ value: Value, to buffer: inout OctetBuffer
  ) {
    buffer.append(type.rawValue << 3 | sizeIndex)
    buffer.append(bigEndian: value)
  }

  private static func append(_ type: DataElementType, _ octets: [UInt8], to buffer: inout OctetBuffer) {
    appendHeader(type, length: octets.count, to: &buffer)
    buffer.append(octets)
  }

  private static func append(_ type: DataElementType, _ elements: [DataElement], to buffer: inout OctetBuffer) {
    appendHeader(type, length: contentLength(elements), to: &buffer)
    for element in elements { element.encode(into: &buffer) }
  }

  /// Appends the header of an element whose length precedes its content.
  static func appendHeader(_ type: DataElementType, length: Int, to buffer: inout OctetBuffer) {
    switch headerLength(length) {
    case 2: append(type, 5, UInt8(truncatingIfNeeded: length), to: &buffer)
    case 3: append(type, 6, UInt16(truncatingIfNeeded: length), to: &buffer)
    default: append(type, 7, UInt32(clamping: length), to: &buffer)
    }
  }
}
