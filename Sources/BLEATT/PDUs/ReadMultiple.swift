// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.4.7 ATT_READ_MULTIPLE_REQ
public struct ReadMultipleRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readMultipleRequest
  /// Two attributes or more.
  public var handles: [HandleEntry] = []

  public init() {}

  /// A PDU with these fields.
  public init(handles: [HandleEntry]) {
    self.handles = handles
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Set Of Handles", &handles)
  }
}

/// One handle of a set (Core 5.4 Vol 3 Part F 3.4.4.7).
public struct HandleEntry: OctetLayout, Hashable {
  /// The attribute.
  public var handle: UInt16 = 0

  public init() {}

  /// An entry with these fields.
  public init(handle: UInt16) {
    self.handle = handle
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Attribute Handle", &handle)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.8 ATT_READ_MULTIPLE_RSP
public struct ReadMultipleResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readMultipleResponse
  /// The values, one after the other, cut at MTU - 1.
  public var values: [UInt8] = []

  public init() {}

  /// A PDU with these fields.
  public init(values: [UInt8]) {
    self.values = values
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Set Of Values", &values)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.11 ATT_READ_MULTIPLE_VARIABLE_REQ
public struct ReadMultipleVariableRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readMultipleVariableRequest
  /// Two attributes or more.
  public var handles: [HandleEntry] = []

  public init() {}

  /// A PDU with these fields.
  public init(handles: [HandleEntry]) {
    self.handles = handles
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Set Of Handles", &handles)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.4.12 ATT_READ_MULTIPLE_VARIABLE_RSP
public struct ReadMultipleVariableResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readMultipleVariableResponse
  /// Length (2 octets) and value, one after the other, cut at MTU - 1.
  public var values: [UInt8] = []

  public init() {}

  /// A PDU with these fields.
  public init(values: [UInt8]) {
    self.values = values
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainder("Length Value Tuple List", &values)
  }
}

/// Writes a `ReadMultipleResponse` or `ReadMultipleVariableResponse` value by value.
package struct ReadMultipleWriter {
  private let isVariable: Bool
  private var end: Int

  /// Appends the opcode. The PDU is of `limit` octets at most.
  package init(isVariable: Bool, limit: Int, into buffer: inout OctetBuffer) {
    self.isVariable = isVariable
    end = buffer.count + limit
    buffer.append((isVariable ? ReadMultipleVariableResponse.opcode : ReadMultipleResponse.opcode).rawValue)
  }

  /// Appends a value, with its length where lengths are told.
  package mutating func append(_ value: [UInt8], into buffer: inout OctetBuffer) {
    if isVariable {
      // Half a length would say nothing: the answer then ends before it.
      if buffer.count == end - 1 { end = buffer.count }
      buffer.append(littleEndian: UInt16(clamping: value.count))
    }
    buffer.append(value)
  }

  /// Cuts the response at its limit.
  package func finish(in buffer: inout OctetBuffer) { buffer.truncate(to: min(buffer.count, end)) }
}
