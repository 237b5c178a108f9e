// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// Core 5.4 Vol 3 Part F 3.4.2.1 ATT_EXCHANGE_MTU_REQ
public struct ExchangeMTURequest: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.exchangeMTURequest
  /// The longest PDU that the client can receive, in octets.
  public var clientMTU: UInt16 = 0

  public init() {}

  /// Creates a PDU with these fields.
  public init(clientMTU: UInt16) {
    self.clientMTU = clientMTU
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Client Rx MTU", &clientMTU)
  }
}

/// Core 5.4 Vol 3 Part F 3.4.2.2 ATT_EXCHANGE_MTU_RSP
public struct ExchangeMTUResponse: ATTPDU, Hashable {
  public static let opcode = ATTOpcode.exchangeMTUResponse
  /// The longest PDU that the server can receive, in octets.
  public var serverMTU: UInt16 = 0

  public init() {}

  /// Creates a PDU with these fields.
  public init(serverMTU: UInt16) {
    self.serverMTU = serverMTU
  }

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Server Rx MTU", &serverMTU)
  }
}
