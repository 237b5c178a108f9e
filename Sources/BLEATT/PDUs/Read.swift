// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.4.1 ATT_READ_BY_TYPE_REQ
public struct ReadByTypeRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readByTypeRequest
  /// The first handle of the range.
  public var start: UInt16 = 0
  /// The last handle of the range.
  public var end: UInt16 = 0
  /// The type of the attributes to read.
  public var type: BluetoothUUID = BluetoothUUID(0)

  public init() {}

  /// Creates a PDU with these fields.
  public init(start: UInt16, end: UInt16, type: BluetoothUUID) {
    self.start = start
    self.end = end
    self.type = type
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Starting Handle", &start)
    try fields.integer("Ending Handle", &end)
    try fields.uuid("Attribute Type", &type)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.2 ATT_READ_BY_TYPE_RSP
public struct ReadByTypeResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readByTypeResponse
  /// The octets per entry: handle and value.
  public var length: UInt8 = 0
  /// Pairs of handle and value, all of that length.
  public var data: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(length: UInt8, data: [UInt8]) {
    self.length = length
    self.data = data
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Length", &length)
    try fields.remainder("Attribute Data List", &data)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.3 ATT_READ_REQ
public struct ReadRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readRequest
  /// The attribute.
  public var handle: UInt16 = 0

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16) {
    self.handle = handle
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.4 ATT_READ_RSP
public struct ReadResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readResponse
  /// The value, or the part of it that fits.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(value: [UInt8]) {
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Attribute Value", &value)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.5 ATT_READ_BLOB_REQ
public struct ReadBlobRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readBlobRequest
  /// The attribute.
  public var handle: UInt16 = 0
  /// The offset of the first octet, from 0.
  public var offset: UInt16 = 0

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16, offset: UInt16) {
    self.handle = handle
    self.offset = offset
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
    try fields.integer("Value Offset", &offset)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.6 ATT_READ_BLOB_RSP
public struct ReadBlobResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readBlobResponse
  /// The value from that offset on, as far as it fits.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(value: [UInt8]) {
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Part Attribute Value", &value)
  }
}

extension ReadResponse {
  /// Appends the response with as much of the value as fits in `limit` octets of PDU. `opcode` can be that of the Read Blob Response, which
  /// has the same layout.
  package static func write(
    _ value: ArraySlice<UInt8>, opcode: ATTOpcode = Self.opcode, limit: Int, into buffer: inout OctetBuffer
  ) {
    buffer.append(opcode.rawValue)
    buffer.append(value.prefix(limit - 1))
  }
}
