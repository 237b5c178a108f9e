// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part B 4.6.1 SDP_SERVICE_ATTR_REQ
public struct ServiceAttributeRequest: SDPPDU, Hashable {
  public static let id = SDPPDUID.serviceAttributeRequest

  public var handle = ServiceRecordHandle()
  /// The number of octets of the attribute list that a response has at most.
  public var maximumOctets: UInt16 = 0
  /// A sequence of 16-bit ids, and of 32-bit ranges with the first id in the upper half.
  public var attributes = DataElement.sequence([])
  /// The state of the previous response; empty in the first request.
  public var continuation: [UInt8] = []

  public init() {}

  public init(
    handle: ServiceRecordHandle, maximumOctets: UInt16, attributes: DataElement, continuation: [UInt8] = []
  ) {
    self.handle = handle
    self.maximumOctets = maximumOctets
    self.attributes = attributes
    self.continuation = continuation
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&handle)
    try fields.bigEndian("Maximum Attribute Byte Count", &maximumOctets)
    try fields.delimited("Attribute ID List", &attributes)
    try fields.counted("Continuation State", &continuation)
  }
}

/// Core 5.4 Vol 3 Part B 4.6.2 SDP_SERVICE_ATTR_RSP
public struct ServiceAttributeResponse: SDPPDU, Hashable {
  public static let id = SDPPDUID.serviceAttributeResponse

  /// A part of a data element, which all responses to the request together contain: a sequence of attribute ids and values in turn.
  public var part: [UInt8] = []
  /// What the next request returns; empty if nothing follows.
  public var continuation: [UInt8] = []

  public init() {}

  public init(part: [UInt8], continuation: [UInt8] = []) {
    self.part = part
    self.continuation = continuation
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var count = UInt16(clamping: part.count)
    try fields.bigEndian("Attribute List Byte Count", &count)
    try fields.octets("Attribute List", &part, count: Int(count))
    try fields.counted("Continuation State", &continuation)
  }
}

/// Core 5.4 Vol 3 Part B 4.7.1 SDP_SERVICE_SEARCH_ATTR_REQ
public struct ServiceSearchAttributeRequest: SDPPDU, Hashable {
  public static let id = SDPPDUID.serviceSearchAttributeRequest

  /// A sequence of UUIDs, all of which a record must contain.
  public var pattern = DataElement.sequence([])
  /// The number of octets of the attribute lists that a response has at most.
  public var maximumOctets: UInt16 = 0
  /// A sequence of 16-bit ids, and of 32-bit ranges with the first id in the upper half.
  public var attributes = DataElement.sequence([])
  /// The state of the previous response; empty in the first request.
  public var continuation: [UInt8] = []

  public init() {}

  public init(pattern: DataElement, maximumOctets: UInt16, attributes: DataElement, continuation: [UInt8] = []) {
    self.pattern = pattern
    self.maximumOctets = maximumOctets
    self.attributes = attributes
    self.continuation = continuation
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.delimited("Service Search Pattern", &pattern)
    try fields.bigEndian("Maximum Attribute Byte Count", &maximumOctets)
    try fields.delimited("Attribute ID List", &attributes)
    try fields.counted("Continuation State", &continuation)
  }
}

/// Core 5.4 Vol 3 Part B 4.7.2 SDP_SERVICE_SEARCH_ATTR_RSP
public struct ServiceSearchAttributeResponse: SDPPDU, Hashable {
  public static let id = SDPPDUID.serviceSearchAttributeResponse

  /// A part of a data element, which all responses to the request together contain: a sequence with an attribute list for each record.
  public var part: [UInt8] = []
  /// What the next request returns; empty if nothing follows.
  public var continuation: [UInt8] = []

  public init() {}

  public init(part: [UInt8], continuation: [UInt8] = []) {
    self.part = part
    self.continuation = continuation
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var count = UInt16(clamping: part.count)
    try fields.bigEndian("Attribute Lists Byte Count", &count)
    try fields.octets("Attribute Lists", &part, count: Int(count))
    try fields.counted("Continuation State", &continuation)
  }
}
