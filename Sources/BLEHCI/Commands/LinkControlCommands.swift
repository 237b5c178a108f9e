// Link Control commands (OGF 0x01).

import BLECore

/// Core 5.4 Vol 4 Part E 7.1.6 HCI_Disconnect. Ends a connection. Disconnection Complete reports its end.
package struct HCIDisconnect: HCIAsyncCommand {
  package static let opcode = CommandOpcode.disconnect

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// The reason sent to the peer.
  package var reason: ErrorCode = .remoteUserTerminatedConnection

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.23 HCI_Read_Remote_Version_Information. Asks the peer's link layer for its version.
package struct HCIReadRemoteVersionInformation: HCIAsyncCommand {
  package static let opcode = CommandOpcode.readRemoteVersionInformation

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}
