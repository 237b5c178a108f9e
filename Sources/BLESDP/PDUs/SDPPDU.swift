// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The header of every SDP PDU (Core 5.4 Vol 3 Part B 4.2).
public struct SDPHeader: OctetLayout, Hashable {
  /// The size of the header in octets.
  public static let octetCount = 5

  public var id = SDPPDUID(rawValue: 0)
  /// Matches a response with its request.
  public var transaction: UInt16 = 0
  /// The length of the parameters after the header, in octets.
  public var length: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("PDU ID", &id)
    try fields.bigEndian("Transaction ID", &transaction)
    try fields.bigEndian("Parameter Length", &length)
  }
}

/// The parameters of an SDP PDU.
public protocol SDPPDU: OctetLayout {
  static var id: SDPPDUID { get }
}

extension SDPPDU {
  /// Appends the whole PDU with its header.
  public func encodePDU(transaction: UInt16, into buffer: inout OctetBuffer) {
    buffer.append(Self.id.rawValue)
    buffer.append(bigEndian: transaction)
    let length = buffer.count
    buffer.append(bigEndian: UInt16(0))
    encode(into: &buffer)
    buffer.patch(bigEndian: UInt16(clamping: buffer.count - length - 2), at: length)
  }

  /// The whole PDU with its header.
  public func encodedPDU(transaction: UInt16) -> [UInt8] {
    var buffer = OctetBuffer(minimumCapacity: 64)
    encodePDU(transaction: transaction, into: &buffer)
    return buffer.copy()
  }
}

/// All PDU types of this target, for the decoder and for tests that cover all of them.
public let allSDPPDUs: [any SDPPDU.Type] = [
  SDPErrorResponse.self, ServiceSearchRequest.self, ServiceSearchResponse.self, ServiceAttributeRequest.self,
  ServiceAttributeResponse.self, ServiceSearchAttributeRequest.self, ServiceSearchAttributeResponse.self,
]

/// Core 5.4 Vol 3 Part B 4.4.1 SDP_ERROR_RSP
public struct SDPErrorResponse: SDPPDU, Hashable {
  public static let id = SDPPDUID.errorResponse

  public var error = SDPErrorCode(rawValue: 0)

  public init() {}

  public init(error: SDPErrorCode) { self.error = error }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.bigEndianCode("Error Code", &error)
  }
}
