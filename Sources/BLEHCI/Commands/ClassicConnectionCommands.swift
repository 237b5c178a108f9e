// Link Control commands (OGF 0x01) of BR/EDR: connections.

import BLECore

/// Core 5.4 Vol 4 Part E 7.1.5 HCI_Create_Connection. Connects to a device. Connection Complete reports the result.
package struct HCICreateConnection: HCIAsyncCommand {
  package static let opcode = CommandOpcode.createConnection

  /// The device.
  package var address = DeviceAddress.zero
  /// The packets that the connection may use.
  package var packetTypes = PacketTypes.basicRate
  /// How often the peer scans for pages.
  package var repetitionMode = PageScanRepetitionMode.r1
  /// Page_Scan_Mode in older versions.
  package var reserved: UInt8 = 0
  /// The difference between the clocks, if known.
  package var clockOffset = ClockOffset(rawValue: 0)
  /// Whether the device may become the central.
  package var allowsRoleSwitch = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Packet_Type", &packetTypes)
    try fields.code("Page_Scan_Repetition_Mode", &repetitionMode)
    try fields.integer("Reserved", &reserved)
    try fields.code("Clock_Offset", &clockOffset)
    try fields.boolean("Allow_Role_Switch", &allowsRoleSwitch)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.7 HCI_Create_Connection_Cancel. Gives up a connection that is being created.
package struct HCICreateConnectionCancel: HCISyncCommand {
  package static let opcode = CommandOpcode.createConnectionCancel
  package typealias ReturnParameters = AddressReturn

  /// The device.
  package var address = DeviceAddress.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.8 HCI_Accept_Connection_Request. Accepts a connection. Connection Complete reports the result.
package struct HCIAcceptConnectionRequest: HCIAsyncCommand {
  package static let opcode = CommandOpcode.acceptConnectionRequest

  /// The peer.
  package var address = DeviceAddress.zero
  /// The role to take; the central by a role switch.
  package var role = LinkRole.peripheral

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Role", &role)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.9 HCI_Reject_Connection_Request. Rejects a connection. Connection Complete follows with the reason.
package struct HCIRejectConnectionRequest: HCIAsyncCommand {
  package static let opcode = CommandOpcode.rejectConnectionRequest

  /// The peer.
  package var address = DeviceAddress.zero
  /// Limited resources (0x0D), security (0x0E) or an unacceptable address (0x0F).
  package var reason = ErrorCode.connectionRejectedLimitedResources

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.14 HCI_Change_Connection_Packet_Type. Changes the packets of a connection. Connection Packet Type Changed
/// reports the result.
package struct HCIChangeConnectionPacketType: HCIAsyncCommand {
  package static let opcode = CommandOpcode.changeConnectionPacketType

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The packets that the connection may use.
  package var packetTypes = PacketTypes.basicRate

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Packet_Type", &packetTypes)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.21 HCI_Read_Remote_Supported_Features. Asks the peer for its LMP features, page 0.
package struct HCIReadRemoteSupportedFeatures: HCIAsyncCommand {
  package static let opcode = CommandOpcode.readRemoteSupportedFeatures

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.22 HCI_Read_Remote_Extended_Features. Asks the peer for a page of its LMP features.
package struct HCIReadRemoteExtendedFeatures: HCIAsyncCommand {
  package static let opcode = CommandOpcode.readRemoteExtendedFeatures

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The page.
  package var page: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Page_Number", &page)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.24 HCI_Read_Clock_Offset. Asks the peer for the difference between the clocks.
package struct HCIReadClockOffset: HCIAsyncCommand {
  package static let opcode = CommandOpcode.readClockOffset

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}
