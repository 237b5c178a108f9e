// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part B 4.5.1 SDP_SERVICE_SEARCH_REQ
public struct ServiceSearchRequest: SDPPDU, Hashable {
  public static let id = SDPPDUID.serviceSearchRequest

  /// A sequence of UUIDs, all of which a record must contain.
  public var pattern = DataElement.sequence([])
  /// The number of handles that the client wants at most.
  public var maximumRecords: UInt16 = 0
  /// The state of the previous response; empty in the first request.
  public var continuation: [UInt8] = []

  public init() {}

  public init(pattern: DataElement, maximumRecords: UInt16, continuation: [UInt8] = []) {
    self.pattern = pattern
    self.maximumRecords = maximumRecords
    self.continuation = continuation
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.delimited("Service Search Pattern", &pattern)
    try fields.bigEndian("Maximum Service Record Count", &maximumRecords)
    try fields.counted("Continuation State", &continuation)
  }
}

/// Core 5.4 Vol 3 Part B 4.5.2 SDP_SERVICE_SEARCH_RSP
public struct ServiceSearchResponse: SDPPDU, Hashable {
  public static let id = SDPPDUID.serviceSearchResponse

  /// The number of records that match, in all responses together.
  public var totalRecords: UInt16 = 0
  /// The records of this response.
  public var handles: [ServiceRecordHandle] = []
  /// What the next request returns; empty if no handles follow.
  public var continuation: [UInt8] = []

  public init() {}

  public init(totalRecords: UInt16, handles: [ServiceRecordHandle], continuation: [UInt8] = []) {
    self.totalRecords = totalRecords
    self.handles = handles
    self.continuation = continuation
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.bigEndian("Total Service Record Count", &totalRecords)
    var count = UInt16(clamping: handles.count)
    try fields.bigEndian("Current Service Record Count", &count)
    try fields.list("Service Record Handle List", &handles, count: Int(count))
    try fields.counted("Continuation State", &continuation)
  }
}

/// The handle of a service record, which identifies it on its server (Core 5.4 Vol 3 Part B 2.2).
public struct ServiceRecordHandle: OctetLayout, Hashable, Comparable {
  public var rawValue: UInt32 = 0

  /// The record of the server itself (Core 5.4 Vol 3 Part B 5.1.1).
  public static let server = ServiceRecordHandle(rawValue: 0)
  /// The handles of other records. Those between this range and the server's are reserved.
  public static let range: ClosedRange<UInt32> = 0x0001_0000...0xFFFF_FFFF

  public init() {}

  public init(rawValue: UInt32) { self.rawValue = rawValue }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.bigEndian("Service Record Handle", &rawValue)
  }

  public static func < (left: ServiceRecordHandle, right: ServiceRecordHandle) -> Bool {
    left.rawValue < right.rawValue
  }
}
