// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.7.1 ATT_HANDLE_VALUE_NTF
public struct HandleValueNotification: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.handleValueNotification
  /// The attribute.
  public var handle: UInt16 = 0
  /// The value, truncated to MTU - 3.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
    try fields.remainder("Attribute Value", &value)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.7.2 ATT_HANDLE_VALUE_IND
public struct HandleValueIndication: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.handleValueIndication
  /// The attribute.
  public var handle: UInt16 = 0
  /// The value, truncated to MTU - 3.
  public var value: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16, value: [UInt8]) {
    self.handle = handle
    self.value = value
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
    try fields.remainder("Attribute Value", &value)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.7.3 ATT_HANDLE_VALUE_CFM
public struct HandleValueConfirmation: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.handleValueConfirmation

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 3 Part F 3.4.7.4 ATT_MULTIPLE_HANDLE_VALUE_NTF
public struct MultipleHandleValueNotification: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.multipleHandleValueNotification
  /// Tuples of handle, length (2 octets each) and value.
  public var tuples: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(tuples: [UInt8]) {
    self.tuples = tuples
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Handle Length Value Tuple List", &tuples)
  }
}

extension HandleValueNotification {
  /// Appends a notification with as much of the value as fits in `limit` octets of PDU.
  package static func write(_ value: [UInt8], of handle: UInt16, limit: Int, into buffer: inout OctetBuffer) {
    buffer.append(opcode.rawValue)
    buffer.append(littleEndian: handle)
    buffer.append(value.prefix(limit - 3))
  }
}

extension MultipleHandleValueNotification {
  /// The octets before each value in a tuple: its handle and its length.
  package static let tupleHeadLength = 4

  /// Appends the opcode; `appendTuple` appends the values.
  package static func begin(into buffer: inout OctetBuffer) { buffer.append(opcode.rawValue) }

  /// Appends a handle and its value.
  package static func appendTuple(_ handle: UInt16, _ value: [UInt8], into buffer: inout OctetBuffer) {
    buffer.append(littleEndian: handle)
    buffer.append(littleEndian: UInt16(clamping: value.count))
    buffer.append(value)
  }
}
