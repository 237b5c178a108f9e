// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.4.9 ATT_READ_BY_GROUP_TYPE_REQ
public struct ReadByGroupTypeRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readByGroupTypeRequest
  /// The first handle of the range.
  public var start: UInt16 = 0
  /// The last handle of the range.
  public var end: UInt16 = 0
  /// The type of the groups to read.
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
    try fields.uuid("Attribute Group Type", &type)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.10 ATT_READ_BY_GROUP_TYPE_RSP
public struct ReadByGroupTypeResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readByGroupTypeResponse
  /// The octets per entry: first handle, last handle, value.
  public var length: UInt8 = 0
  /// The entries, all of that length.
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
