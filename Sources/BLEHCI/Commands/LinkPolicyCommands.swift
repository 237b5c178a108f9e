// Link Policy commands (OGF 0x02).

import BLECore

/// Core 5.4 Vol 4 Part E 7.2.2 HCI_Sniff_Mode. Lets a connection sleep between anchor points. Mode Change reports the result.
package struct HCISniffMode: HCIAsyncCommand {
  package static let opcode = CommandOpcode.sniffMode

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The longest time between two anchor points.
  package var maximumInterval = BasebandSlots(rawValue: 800)
  /// The shortest time between two anchor points.
  package var minimumInterval = BasebandSlots(rawValue: 400)
  /// In slots of the peripheral, 1...0x7FFF.
  package var attempt: UInt16 = 4
  /// In slots of the peripheral, 0...0x7FFF.
  package var timeout: UInt16 = 1

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Sniff_Max_Interval", &maximumInterval)
    try fields.code("Sniff_Min_Interval", &minimumInterval)
    try fields.integer("Sniff_Attempt", &attempt)
    try fields.integer("Sniff_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.2.3 HCI_Exit_Sniff_Mode. Wakes a connection. Mode Change reports the result.
package struct HCIExitSniffMode: HCIAsyncCommand {
  package static let opcode = CommandOpcode.exitSniffMode

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.2.7 HCI_Role_Discovery. Reads the role of this side on a connection.
package struct HCIRoleDiscovery: HCISyncCommand {
  package static let opcode = CommandOpcode.roleDiscovery

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The connection.
    package var connectionHandle = ConnectionHandle.zero
    /// The role of this side.
    package var role = LinkRole.central

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.code("Current_Role", &role)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.2.8 HCI_Switch_Role. Exchanges the roles. Role Change reports the result.
package struct HCISwitchRole: HCIAsyncCommand {
  package static let opcode = CommandOpcode.switchRole

  /// The peer.
  package var address = DeviceAddress.zero
  /// The role to take.
  package var role = LinkRole.central

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Role", &role)
  }
}

/// Core 5.4 Vol 4 Part E 7.2.9 HCI_Read_Link_Policy_Settings. Reads the policy of a connection.
package struct HCIReadLinkPolicySettings: HCISyncCommand {
  package static let opcode = CommandOpcode.readLinkPolicySettings

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The connection.
    package var connectionHandle = ConnectionHandle.zero
    /// What the controller may do.
    package var settings = LinkPolicySettings(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.code("Link_Policy_Settings", &settings)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.2.10 HCI_Write_Link_Policy_Settings. Sets the policy of a connection.
package struct HCIWriteLinkPolicySettings: HCISyncCommand {
  package static let opcode = CommandOpcode.writeLinkPolicySettings
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// What the controller may do.
  package var settings = LinkPolicySettings(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Link_Policy_Settings", &settings)
  }
}

/// Core 5.4 Vol 4 Part E 7.2.11 HCI_Read_Default_Link_Policy_Settings. Reads the policy of new connections.
package struct HCIReadDefaultLinkPolicySettings: HCISyncCommand {
  package static let opcode = CommandOpcode.readDefaultLinkPolicySettings

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// What the controller may do.
    package var settings = LinkPolicySettings(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Default_Link_Policy_Settings", &settings)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.2.12 HCI_Write_Default_Link_Policy_Settings. Sets the policy of new connections.
package struct HCIWriteDefaultLinkPolicySettings: HCISyncCommand {
  package static let opcode = CommandOpcode.writeDefaultLinkPolicySettings
  package typealias ReturnParameters = StatusReturn

  /// What the controller may do.
  package var settings = LinkPolicySettings(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Default_Link_Policy_Settings", &settings)
  }
}

/// Core 5.4 Vol 4 Part E 7.2.14 HCI_Sniff_Subrating. Sets how seldom each side listens in Sniff Mode.
package struct HCISniffSubrating: HCISyncCommand {
  package static let opcode = CommandOpcode.sniffSubrating
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The longest time between two anchor points of the peer.
  package var maximumLatency = BasebandSlots(rawValue: 0)
  /// How long the peer stays awake at least.
  package var minimumRemoteTimeout = BasebandSlots(rawValue: 0)
  /// How long this side stays awake at least.
  package var minimumLocalTimeout = BasebandSlots(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Max_Latency", &maximumLatency)
    try fields.code("Min_Remote_Timeout", &minimumRemoteTimeout)
    try fields.code("Min_Local_Timeout", &minimumLocalTimeout)
  }
}
