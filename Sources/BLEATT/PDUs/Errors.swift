// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.1.1 ATT_ERROR_RSP
public struct ErrorResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.errorResponse
  /// The refused request.
  public var request: ATTOpcode = ATTOpcode(rawValue: 0)
  /// The attribute that caused the error, or 0x0000.
  public var handle: UInt16 = 0
  /// The reason.
  public var error: ATTErrorCode = ATTErrorCode(rawValue: 0)

  public init() {}

  /// Creates a PDU with these fields.
  public init(request: ATTOpcode, handle: UInt16, error: ATTErrorCode) {
    self.request = request
    self.handle = handle
    self.error = error
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Request Opcode In Error", &request)
    try fields.integer("Attribute Handle In Error", &handle)
    try fields.code("Error Code", &error)
  }
}
