import BLECore

/// The type of a data element among octets, and where its content is (Core 5.4 Vol 3 Part B 3.3).
public struct DataElementHeader: Hashable, Sendable {
  /// The type.
  public let type: DataElementType
  /// The octets after the header.
  public let content: Range<Int>

  /// Reads the header of the element at `offset`, which ends at `end` or before.
  public init(_ octets: Span<UInt8>, at offset: Int, end: Int) throws(LayoutFault) {
    let end = min(end, octets.count)
    guard offset < end else { throw .truncated(offset: offset, needed: 1, available: 0) }
    let descriptor = octets[offset]
    guard let type = DataElementType(rawValue: descriptor >> 3) else { throw .malformed(offset: offset) }
    let sizeIndex = descriptor & 7
    var start = offset + 1
    let length: Int
    if type.isCounted {
      guard sizeIndex >= 5 else { throw .malformed(offset: offset) }
      let width = 1 << (Int(sizeIndex) - 5)
      guard end - start >= width else { throw .truncated(offset: start, needed: width, available: end - start) }
      // At most 32 bits, so there is no overflow.
      length = (start..<start + width).reduce(0) { $0 << 8 | Int(octets[$1]) }
      start += width
    } else {
      guard let fixed = type.length(sizeIndex: sizeIndex) else { throw .malformed(offset: offset) }
      length = fixed
    }
    guard end - start >= length else { throw .truncated(offset: start, needed: length, available: end - start) }
    self.type = type
    content = start..<start + length
  }
}

/// Walks through data elements that follow each other, without copying them.
public struct DataElementReader: Hashable, Sendable {
  /// The position of the next element.
  public private(set) var offset: Int
  /// The end of the last element.
  public let end: Int

  /// Creates a reader of the elements in a range.
  public init(_ range: Range<Int>) {
    offset = range.lowerBound
    end = range.upperBound
  }

  /// Returns the header of the next element, and moves behind that element; nil at the end.
  public mutating func next(in octets: Span<UInt8>) throws(LayoutFault) -> DataElementHeader? {
    guard offset < end else { return nil }
    let header = try DataElementHeader(octets, at: offset, end: end)
    offset = header.content.upperBound
    return header
  }
}

extension Span<UInt8> {
  /// Returns the number in a range of at most 8 octets, most significant first.
  func bigEndian(_ range: Range<Int>) -> UInt64 { range.reduce(0) { $0 << 8 | UInt64(self[$1]) } }
}

extension DataElementHeader {
  /// Returns the UUID that is the content; nil for other types.
  func uuid(in octets: Span<UInt8>) -> BluetoothUUID? {
    guard type == .uuid else { return nil }
    let start = content.lowerBound
    return content.count == 16
      ? BluetoothUUID(high: octets.bigEndian(start..<start + 8), low: octets.bigEndian(start + 8..<start + 16))
      : BluetoothUUID(medium: UInt32(truncatingIfNeeded: octets.bigEndian(content)))
  }
}
