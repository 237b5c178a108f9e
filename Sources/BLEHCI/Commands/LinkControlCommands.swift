// Link Control commands (OGF 0x01).

import BLECore

/// Core 5.4 Vol 4 Part E 7.1.6 HCI_Disconnect. Ends a connection; Disconnection Complete tells when it is over.
public struct HCIDisconnect: HCIAsyncCommand {
  public static let opcode = CommandOpcode.disconnect

  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero
  /// What the peer is told.
  public var reason: ErrorCode = .remoteUserTerminatedConnection

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.23 HCI_Read_Remote_Version_Information. Asks the peer's link layer for its version.
public struct HCIReadRemoteVersionInformation: HCIAsyncCommand {
  public static let opcode = CommandOpcode.readRemoteVersionInformation

  /// The connection.
  public var connectionHandle: ConnectionHandle = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}
