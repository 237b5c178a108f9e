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
