// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.4.7 ATT_READ_MULTIPLE_REQ
public struct ReadMultipleRequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.readMultipleRequest
  /// Two attributes or more.
  public var handles: [HandleEntry] = []

  public init() {}

  /// Creates a PDU with these fields.
  public init(handles: [HandleEntry]) {
    self.handles = handles
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.remainingList("Set Of Handles", &handles)
  }
}

/// A handle of a set (Core 5.4 Vol 3 Part F 3.4.4.7).
public struct HandleEntry: OctetLayout, Hashable {
  /// The attribute.
  public var handle: UInt16 = 0

  public init() {}

  /// Creates an entry with these fields.
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
  /// The concatenated values, truncated to MTU - 1.
  public var values: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
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

  /// Creates a PDU with these fields.
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
  /// Tuples of length (2 octets) and value, truncated to MTU - 1.
  public var values: [UInt8] = []

  public init() {}

  /// Creates a PDU with these fields.
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

  /// Appends the opcode. The PDU has at most `limit` octets.
  package init(isVariable: Bool, limit: Int, into buffer: inout OctetBuffer) {
    self.isVariable = isVariable
    end = buffer.count + limit
    buffer.append((isVariable ? ReadMultipleVariableResponse.opcode : ReadMultipleResponse.opcode).rawValue)
  }

  /// Appends a value, preceded by its length in a variable response.
  package mutating func append(_ value: [UInt8], into buffer: inout OctetBuffer) {
    if isVariable {
      // Half a length would be useless, so the response ends before it.
      if buffer.count == end - 1 { end = buffer.count }
      buffer.append(littleEndian: UInt16(clamping: value.count))
    }
    buffer.append(value)
  }

  /// Truncates the response to its limit.
  package func finish(in buffer: inout OctetBuffer) { buffer.truncate(to: min(buffer.count, end)) }
}
