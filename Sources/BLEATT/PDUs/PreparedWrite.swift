// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.6.1 ATT_PREPARE_WRITE_REQ
public struct PrepareWriteRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.prepareWriteRequest
  /// The attribute.
  public var handle: UInt16 = 0
  /// The offset of the part in the value, from 0.
  public var offset: UInt16 = 0
  /// The part.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16, offset: UInt16, value: [UInt8]) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
    try fields.integer("Value Offset", &offset)
    try fields.remainder("Part Attribute Value", &value)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.6.2 ATT_PREPARE_WRITE_RSP
public struct PrepareWriteResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.prepareWriteResponse
  /// The attribute.
  public var handle: UInt16 = 0
  /// The offset of the part in the value, from 0.
  public var offset: UInt16 = 0
  /// The part.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16, offset: UInt16, value: [UInt8]) {
    self.handle = handle
    self.offset = offset
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
    try fields.integer("Value Offset", &offset)
    try fields.remainder("Part Attribute Value", &value)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.6.3 ATT_EXECUTE_WRITE_REQ
public struct ExecuteWriteRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.executeWriteRequest
  /// 0x00: cancel all prepared writes; 0x01: write all of them now.
  public var flags: UInt8 = 0

  public init() {}

  /// Creates a PDU with these fields.
  public init(flags: UInt8) {
    self.flags = flags
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Flags", &flags)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.6.4 ATT_EXECUTE_WRITE_RSP
public struct ExecuteWriteResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.executeWriteResponse

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}
