// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// A value in SDP with its type (Core 5.4 Vol 3 Part B 3).
public enum DataElement: Hashable, Sendable {
  case null
  case unsigned8(UInt8)
  case unsigned16(UInt16)
  case unsigned32(UInt32)
  case unsigned64(UInt64)
  case unsigned128(high: UInt64, low: UInt64)
  case signed8(Int8)
  case signed16(Int16)
  case signed32(Int32)
  case signed64(Int64)
  case signed128(high: Int64, low: UInt64)
  case uuid16(UInt16)
  case uuid32(UInt32)
  case uuid128(BluetoothUUID)
  /// Text. Its character encoding depends on its attribute; it is mostly UTF-8.
  case text([UInt8])
  case boolean(Bool)
  /// All of these elements, in order.
  case sequence([DataElement])
  /// One of these elements.
  case alternative([DataElement])
  case url([UInt8])

  /// How deep sequences may be nested in received octets. Records in use need 6.
  public static let maximumDepth = 16
  /// The number of elements, including nested ones, that received octets may contain.
  public static let maximumCount = 16_384

  /// Creates text in UTF-8.
  public static func text(_ text: String) -> DataElement { .text(Array(text.utf8)) }

  /// Creates a UUID in its shortest form.
  public static func uuid(_ uuid: BluetoothUUID) -> DataElement {
    if let short = uuid.short { return .uuid16(short) }
    return uuid.medium.map { .uuid32($0) } ?? .uuid128(uuid)
  }

  /// The UUID in an element of any of its three forms; nil for other types.
  public var uuid: BluetoothUUID? {
    switch self {
    case .uuid16(let value): BluetoothUUID(value)
    case .uuid32(let value): BluetoothUUID(medium: value)
    case .uuid128(let value): value
    default: nil
    }
  }

  /// The number in an unsigned integer of at most 64 bits; nil for other types.
  public var unsigned: UInt64? {
    switch self {
    case .unsigned8(let value): UInt64(value)
    case .unsigned16(let value): UInt64(value)
    case .unsigned32(let value): UInt64(value)
    case .unsigned64(let value): value
    case .unsigned128(high: 0, let low): low
    default: nil
    }
  }

  /// The elements of a sequence or an alternative; nil for other types.
  public var elements: [DataElement]? {
    switch self {
    case .sequence(let elements), .alternative(let elements): elements
    default: nil
    }
  }

  /// The type.
  public var type: DataElementType {
    switch self {
    case .null: .null
    case .unsigned8, .unsigned16, .unsigned32, .unsigned64, .unsigned128: .unsigned
    case .signed8, .signed16, .signed32, .signed64, .signed128: .signed
    case .uuid16, .uuid32, .uuid128: .uuid
    case .text: .text
    case .boolean: .boolean
    case .sequence: .sequence
    case .alternative: .alternative
    case .url: .url
    }
  }
}

/// The type of a data element (Core 5.4 Vol 3 Part B 3.2).
public enum DataElementType: UInt8, Hashable, Sendable, CaseIterable {
  case null, unsigned, signed, uuid, text, boolean, sequence, alternative, url

  /// Whether elements of this type contain other elements.
  public var isContainer: Bool { self == .sequence || self == .alternative }

  /// Returns the length of the content with a size index that gives it; nil if the type does not have that size (Core 5.4 Vol 3 Part B 3.3).
  func length(sizeIndex: UInt8) -> Int? {
    switch self {
    case .null: sizeIndex == 0 ? 0 : nil
    case .boolean: sizeIndex == 0 ? 1 : nil
    case .unsigned, .signed: sizeIndex <= 4 ? 1 << Int(sizeIndex) : nil
    case .uuid: [1, 2, 4].contains(sizeIndex) ? 1 << Int(sizeIndex) : nil
    case .text, .sequence, .alternative, .url: nil
    }
  }

  /// Whether the length of the content precedes it.
  var isCounted: Bool { self == .text || self == .url || isContainer }
}

extension BluetoothUUID {
  /// The 32-bit form, if any.
  package var medium: UInt32? {
    self == BluetoothUUID(medium: UInt32(truncatingIfNeeded: high >> 32)) ? UInt32(truncatingIfNeeded: high >> 32) : nil
  }

  /// Creates an assigned 32-bit UUID.
  package init(medium: UInt32) {
    let base = BluetoothUUID(0)
    self.init(high: UInt64(medium) << 32 | base.high, low: base.low)
  }
}
