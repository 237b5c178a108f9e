/// Octets on the wire whose fields are listed once.
///
/// A PDU, an HCI command's parameters or an HCI event's parameters visits its fields in order in `visit`. Decoding, encoding, and the
/// description for users all follow from that one list:
///
/// ```swift
/// /// Core 5.4 Vol 3 Part F 3.4.4.5 ATT_READ_BLOB_REQ
/// public struct ReadBlobRequest: OctetLayout {
///   public var handle: UInt16 = 0
///   public var offset: UInt16 = 0
///   public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
///     try fields.integer("Attribute Handle", &handle)
///     try fields.integer("Value Offset", &offset)
///   }
/// }
/// ```
///
/// Unassigned values can be decoded as well (see `OpenCode`); their meaning is up to the layer above.
public protocol OctetLayout: Sendable {
  /// Creates the layout with all fields zero or empty, from which decoding starts.
  init()

  /// Visits every field in wire order.
  mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault)
}

/// Octets that do not match a layout. It has only integers, so throwing it is cheap.
public enum LayoutFault: Error, Hashable, Sendable {
  /// A field needs `needed` octets at `offset`, but only `available` are left.
  case truncated(offset: Int, needed: Int, available: Int)
  /// The layout ends at `offset`, but `extra` octets follow.
  case trailing(offset: Int, extra: Int)
  /// The octets at `offset` cannot be the field that is expected there.
  case malformed(offset: Int)

  /// Returns the fault with its position moved by this offset.
  public func moved(by distance: Int) -> LayoutFault {
    switch self {
    case .truncated(let offset, let needed, let available):
      .truncated(offset: offset + distance, needed: needed, available: available)
    case .trailing(let offset, let extra): .trailing(offset: offset + distance, extra: extra)
    case .malformed(let offset): .malformed(offset: offset + distance)
    }
  }
}

/// An assigned number that may also be an unassigned one.
///
/// It is a struct and not an enum, so that any octet from a peer has a value, and only the responsible layer decides on it.
public protocol OpenCode: RawRepresentable, Hashable, Sendable where RawValue: FixedWidthInteger & Sendable {
  /// Creates the code with this number. Every number has a code.
  init(rawValue: RawValue)

  /// The code in words, with its number; nil if it has none. It is the description of a code that has one.
  var meaning: String? { get }
}

extension OpenCode {
  /// A code without a description has no meaning.
  public var meaning: String? { nil }
}

extension OpenCode where Self: CustomStringConvertible {
  /// The description.
  public var meaning: String? { description }
}

/// A value whose octets tell where it ends, and have a structure of their own, such as a data element of SDP. Its description is its text.
public protocol DelimitedOctets: Sendable, CustomStringConvertible {
  /// Decodes the value at the start of `octets`, and returns how many octets it used.
  static func decodePrefix(of octets: Span<UInt8>) throws(LayoutFault) -> (value: Self, consumed: Int)

  /// Appends the value's octets.
  func encode(into buffer: inout OctetBuffer)

  /// Returns a field with this name for a value of this kind that fills a range of the octets, with its nested fields.
  static func describe(_ name: String, _ octets: [UInt8], in range: Range<Int>) -> DescribedField
}

/// A visitor of the fields of a layout: a decoder, an encoder, or a describer.
public protocol FieldVisitor: ~Copyable {
  /// Visits an integer with the width of its type, little endian.
  mutating func integer<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault)

  /// Visits an integer of three octets, little endian.
  mutating func integer24(_ name: String, _ value: inout UInt32) throws(LayoutFault)

  /// Visits `count` octets.
  mutating func octets(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault)

  /// Visits all octets up to the end.
  mutating func remainder(_ name: String, _ value: inout [UInt8]) throws(LayoutFault)

  /// Visits `count` entries.
  mutating func list<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry], count: Int
  ) throws(LayoutFault)

  /// Visits entries up to the end.
  mutating func remainingList<Entry: OctetLayout>(
    _ name: String, _ entries: inout [Entry]
  ) throws(LayoutFault)

  /// Visits a value whose octets tell where it ends.
  mutating func delimited<Value: DelimitedOctets>(_ name: String, _ value: inout Value) throws(LayoutFault)

  // The following have default implementations based on those above. A describer adds the meaning of the value.

  /// Visits an assigned number.
  mutating func code<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault)

  /// Visits an assigned number of three octets.
  mutating func code24<Code: OpenCode>(
    _ name: String, _ value: inout Code
  ) throws(LayoutFault) where Code.RawValue == UInt32

  /// Visits an integer with the width of its type, most significant octet first.
  mutating func bigEndian<Value: FixedWidthInteger & Sendable>(
    _ name: String, _ value: inout Value
  ) throws(LayoutFault)

  /// Visits an assigned number, most significant octet first.
  mutating func bigEndianCode<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault)

  /// Visits UTF-8 in `count` octets, terminated by a zero octet if shorter.
  mutating func text(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault)

  /// Visits a device address without its type: six octets, least significant first.
  mutating func address(_ name: String, _ value: inout DeviceAddress) throws(LayoutFault)

  /// Visits a UUID that fills the rest: 2 octets or 16.
  mutating func uuid(_ name: String, _ value: inout BluetoothUUID) throws(LayoutFault)
}

extension FieldVisitor where Self: ~Copyable {
  /// Visits an assigned number.
  @inlinable
  public mutating func code<Code: OpenCode>(_ name: String, _ value: inout Code) throws(LayoutFault) {
    var raw = value.rawValue
    try integer(name, &raw)
    value = Code(rawValue: raw)
  }

  /// Visits an assigned number of three octets.
  @inlinable
  public mutating func code24<Code: OpenCode>(
    _ name: String, _ value: inout Code
  ) throws(LayoutFault) where Code.RawValue == UInt32 {
    var raw = value.rawValue
    try integer24(name, &raw)
    value = Code(rawValue: raw)
  }

  /// Visits UTF-8 in `count` octets, terminated by a zero octet if shorter.
  @inlinable
  public mutating func text(_ name: String, _ value: inout [UInt8], count: Int) throws(LayoutFault) {
    try octets(name, &value, count: count)
  }

  /// Visits a set of bits.
  @inlinable
  public mutating func flags<Flags: OptionSet>(_ name: String, _ value: inout Flags) throws(LayoutFault)
  where Flags.RawValue: FixedWidthInteger & Sendable {
    var raw = value.rawValue
    try integer(name, &raw)
    value = Flags(rawValue: raw)
  }

  /// Visits an octet that is 0x00 for false and anything else for true.
  @inlinable
  public mutating func boolean(_ name: String, _ value: inout Bool) throws(LayoutFault) {
    var raw: UInt8 = value ? 1 : 0
    try integer(name, &raw)
    value = raw != 0
  }

  /// Visits a device address without its type: six octets, least significant first.
  @inlinable
  public mutating func address(_ name: String, _ value: inout DeviceAddress) throws(LayoutFault) {
    var raw = value.littleEndianOctets
    try octets(name, &raw, count: 6)
    value = DeviceAddress(littleEndianOctets: raw)
  }

  /// Visits at most 255 octets, preceded by their one-octet length.
  @inlinable
  public mutating func counted(_ name: String, _ value: inout [UInt8]) throws(LayoutFault) {
    var length = UInt8(clamping: value.count)
    try integer("Length", &length)
    try octets(name, &value, count: Int(length))
  }

  /// Visits a UUID that fills the rest: 2 octets or 16. The 32-bit form is never sent (Core 5.4 Vol 3 Part F 3.2.1).
  @inlinable
  public mutating func uuid(_ name: String, _ value: inout BluetoothUUID) throws(LayoutFault) {
    var raw = value.littleEndianOctets
    try remainder(name, &raw)
    guard raw.count != 4, let uuid = BluetoothUUID(littleEndianOctets: raw) else {
      throw .truncated(offset: 0, needed: raw.count < 2 ? 2 : 16, available: raw.count)
    }
    value = uuid
  }

  /// Visits a nested layout.
  @inlinable
  public mutating func nested<Inner: OctetLayout>(_ value: inout Inner) throws(LayoutFault) {
    try value.visit(&self)
  }
}

extension OctetLayout {
  /// Decodes octets that contain exactly this layout.
  @inlinable
  public init(decoding octets: Span<UInt8>) throws(LayoutFault) {
    let (value, consumed) = try Self.decodePrefix(of: octets)
    guard consumed == octets.count else {
      throw .trailing(offset: consumed, extra: octets.count - consumed)
    }
    self = value
  }

  /// Decodes octets that contain exactly this layout.
  public init(decoding octets: [UInt8]) throws(LayoutFault) { try self.init(decoding: octets.span) }

  /// Decodes this layout from the start of `octets`, and returns how many octets it used. The rest is left to the caller.
  @inlinable
  public static func decodePrefix(of octets: Span<UInt8>) throws(LayoutFault) -> (value: Self, consumed: Int) {
    try octets.withUnsafeBytes { bytes throws(LayoutFault) in
      var decoder = OctetDecoder(bytes)
      var value = Self()
      try value.visit(&decoder)
      return (value, decoder.offset)
    }
  }

  /// Appends this layout's octets to `buffer`.
  public func encode(into buffer: inout OctetBuffer) {
    var encoder = OctetEncoder(buffer)
    var value = self
    // Encoders accept every value; only decoders throw.
    try? value.visit(&encoder)
    buffer = encoder.finish()
  }

  /// This layout's octets.
  public var encoded: [UInt8] {
    var buffer = OctetBuffer(minimumCapacity: 64)
    encode(into: &buffer)
    return buffer.copy()
  }
}
