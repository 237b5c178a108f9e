// Events of BR/EDR: what changes on a connection.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.18 HCI_Role_Change. The roles of a connection have been exchanged, or not.
package struct HCIRoleChange: HCIEvent {
  package static let code = EventCode.roleChange

  /// Success or the error.
  package var status = ErrorCode.success
  /// The peer.
  package var address = DeviceAddress.zero
  /// The role of this side.
  package var role = LinkRole.central

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.address("BD_ADDR", &address)
    try fields.code("New_Role", &role)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.20 HCI_Mode_Change. A connection sleeps or is awake.
package struct HCIModeChange: HCIEvent {
  package static let code = EventCode.modeChange

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The mode.
  package var mode = LinkMode.active
  /// Between two anchor points in Sniff Mode.
  package var interval = BasebandSlots(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Current_Mode", &mode)
    try fields.code("Interval", &interval)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.26 HCI_Max_Slots_Change. Packets of a connection may have another length.
package struct HCIMaxSlotsChange: HCIEvent {
  package static let code = EventCode.maxSlotsChange

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// 1, 3 or 5.
  package var maximumSlots: UInt8 = 1

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("LMP_Max_Slots", &maximumSlots)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.28 HCI_Read_Clock_Offset_Complete. The peer has told the difference between the clocks, or not.
package struct HCIReadClockOffsetComplete: HCIEvent {
  package static let code = EventCode.readClockOffsetComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The difference between the clocks, if known.
  package var clockOffset = ClockOffset(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Clock_Offset", &clockOffset)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.29 HCI_Connection_Packet_Type_Changed. A connection may use other packets.
package struct HCIConnectionPacketTypeChanged: HCIEvent {
  package static let code = EventCode.connectionPacketTypeChanged

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The packets that the connection may use.
  package var packetTypes = PacketTypes.basicRate

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Packet_Type", &packetTypes)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.13 HCI_QoS_Setup_Complete. The quality of service of a connection has been set, or not.
package struct HCIQoSSetupComplete: HCIEvent {
  package static let code = EventCode.qosSetupComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// Flags in older versions.
  package var unused: UInt8 = 0
  /// 0x00: no traffic, 0x01: best effort, 0x02: guaranteed.
  package var serviceType: UInt8 = 1
  /// In octets per second.
  package var tokenRate: UInt32 = 0
  /// In octets per second.
  package var peakBandwidth: UInt32 = 0
  /// In microseconds.
  package var latency: UInt32 = 0
  /// In microseconds.
  package var delayVariation: UInt32 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Unused", &unused)
    try fields.integer("Service_Type", &serviceType)
    try fields.integer("Token_Rate", &tokenRate)
    try fields.integer("Peak_Bandwidth", &peakBandwidth)
    try fields.integer("Latency", &latency)
    try fields.integer("Delay_Variation", &delayVariation)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.17 HCI_Flush_Occurred. Data of a connection has been discarded.
package struct HCIFlushOccurred: HCIEvent {
  package static let code = EventCode.flushOccurred

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.30 HCI_QoS_Violation. A connection does not have its quality of service.
package struct HCIQoSViolation: HCIEvent {
  package static let code = EventCode.qosViolation

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.37 HCI_Sniff_Subrating. A connection is awake more seldom in Sniff Mode.
package struct HCISniffSubratingEvent: HCIEvent {
  package static let code = EventCode.sniffSubrating

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The longest time between two anchor points of the peer.
  package var maximumTxLatency = BasebandSlots(rawValue: 0)
  /// The longest time between two anchor points of this side.
  package var maximumRxLatency = BasebandSlots(rawValue: 0)
  /// How long the peer stays awake at least.
  package var minimumRemoteTimeout = BasebandSlots(rawValue: 0)
  /// How long this side stays awake at least.
  package var minimumLocalTimeout = BasebandSlots(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Max_TX_Latency", &maximumTxLatency)
    try fields.code("Max_RX_Latency", &maximumRxLatency)
    try fields.code("Min_Remote_Timeout", &minimumRemoteTimeout)
    try fields.code("Min_Local_Timeout", &minimumLocalTimeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.46 HCI_Link_Supervision_Timeout_Changed. A connection is lost after another silence.
package struct HCILinkSupervisionTimeoutChanged: HCIEvent {
  package static let code = EventCode.linkSupervisionTimeoutChanged

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The silence after which a connection is lost.
  package var timeout = BasebandSlots(rawValue: 0x7D00)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Link_Supervision_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.47 HCI_Enhanced_Flush_Complete. Flushable packets of a connection have been discarded.
package struct HCIEnhancedFlushComplete: HCIEvent {
  package static let code = EventCode.enhancedFlushComplete

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
  }
}
