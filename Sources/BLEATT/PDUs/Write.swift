// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.5.1 ATT_WRITE_REQ
public struct WriteRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.writeRequest
  /// The attribute.
  public var handle: UInt16 = 0
  /// The whole new value.
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

/// Core 5.4 Vol 3 Part F 3.4.5.2 ATT_WRITE_RSP
public struct WriteResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.writeResponse

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 3 Part F 3.4.5.3 ATT_WRITE_CMD
public struct WriteCommand: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.writeCommand
  /// The attribute.
  public var handle: UInt16 = 0
  /// The whole new value.
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

/// Core 5.4 Vol 3 Part F 3.4.5.4 ATT_SIGNED_WRITE_CMD
public struct SignedWriteCommand: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.signedWriteCommand
  /// The attribute.
  public var handle: UInt16 = 0
  /// The value, followed by the signature of 12 octets.
  public var valueAndSignature: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handle: UInt16, valueAndSignature: [UInt8]) {
    self.handle = handle
    self.valueAndSignature = valueAndSignature
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
    try fields.remainder("Attribute Value and Authentication Signature", &valueAndSignature)
  }

  /// The length of the signature after the value, in octets.
  public static let signatureLength = 12

  /// The value without its signature; nil if the PDU is too short for one.
  public var value: ArraySlice<UInt8>? {
    valueAndSignature.count < Self.signatureLength ? nil : valueAndSignature.dropLast(Self.signatureLength)
  }

  /// The signature: a sign counter of 4 octets and a MAC of 8; empty if the PDU is too short for one.
  public var signature: ArraySlice<UInt8> {
    valueAndSignature.count < Self.signatureLength ? [] : valueAndSignature.suffix(Self.signatureLength)
  }
}

extension WriteCommand {
  /// Appends a Write Command of a whole value.
  package static func write(_ value: Span<UInt8>, to handle: UInt16, into buffer: inout OctetBuffer) {
    buffer.append(opcode.rawValue)
    buffer.append(littleEndian: handle)
    buffer.append(value)
  }
}
