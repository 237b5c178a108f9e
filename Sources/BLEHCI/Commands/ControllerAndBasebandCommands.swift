// Controller & Baseband commands (OGF 0x03) of LE controllers.

import BLECore

/// Core 5.4 Vol 4 Part E 7.3.1 HCI_Set_Event_Mask. Selects the events that the controller sends.
package struct HCISetEventMask: HCISyncCommand {
  package static let opcode = CommandOpcode.setEventMask
  package typealias ReturnParameters = StatusReturn

  /// The events to send.
  package var eventMask: EventMask = .specificationDefault

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("Event_Mask", &eventMask)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.2 HCI_Reset. Resets the link layer and all HCI state.
package struct HCIReset: HCISyncCommand {
  package static let opcode = CommandOpcode.reset
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.3.11 HCI_Write_Local_Name. Stores the device's name in the controller.
package struct HCIWriteLocalName: HCISyncCommand {
  package static let opcode = CommandOpcode.writeLocalName
  package typealias ReturnParameters = StatusReturn

  /// UTF-8 in 248 octets, terminated by a zero octet if shorter.
  package var localName: [UInt8] = Array(repeating: 0, count: 248)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.text("Local_Name", &localName, count: 248)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.12 HCI_Read_Local_Name. Reads the name stored in the controller.
package struct HCIReadLocalName: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalName

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// UTF-8 in 248 octets, terminated by a zero octet if shorter.
    package var localName: [UInt8] = Array(repeating: 0, count: 248)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.text("Local_Name", &localName, count: 248)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.35 HCI_Read_Transmit_Power_Level. Reads the transmit power used on a connection.
package struct HCIReadTransmitPowerLevel: HCISyncCommand {
  package static let opcode = CommandOpcode.readTransmitPowerLevel

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// 0x00 for the current power, 0x01 for the maximum.
  package var kind: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Type", &kind)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The connection.
    package var connectionHandle: ConnectionHandle = .zero
    /// In dBm, -30...20.
    package var txPowerLevel: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.integer("TX_Power_Level", &txPowerLevel)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.38 HCI_Set_Controller_To_Host_Flow_Control. Switches flow control of the data that the controller sends.
package struct HCISetControllerToHostFlowControl: HCISyncCommand {
  package static let opcode = CommandOpcode.setControllerToHostFlowControl
  package typealias ReturnParameters = StatusReturn

  /// `Flow_Control_Enable`.
  package var flowControl = ControllerToHostFlowControl(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Flow_Control_Enable", &flowControl)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.39 HCI_Host_Buffer_Size. Tells the controller how much data the host can hold.
package struct HCIHostBufferSize: HCISyncCommand {
  package static let opcode = CommandOpcode.hostBufferSize
  package typealias ReturnParameters = StatusReturn

  /// The data octets in one ACL packet, without its header.
  package var aclDataPacketLength: UInt16 = 0
  /// `Host_Synchronous_Data_Packet_Length`.
  package var synchronousDataPacketLength: UInt8 = 0
  /// `Host_Total_Num_ACL_Data_Packets`.
  package var totalACLDataPackets: UInt16 = 0
  /// `Host_Total_Num_Synchronous_Data_Packets`.
  package var totalSynchronousDataPackets: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Host_ACL_Data_Packet_Length", &aclDataPacketLength)
    try fields.integer("Host_Synchronous_Data_Packet_Length", &synchronousDataPacketLength)
    try fields.integer("Host_Total_Num_ACL_Data_Packets", &totalACLDataPackets)
    try fields.integer("Host_Total_Num_Synchronous_Data_Packets", &totalSynchronousDataPackets)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.40 HCI_Host_Number_Of_Completed_Packets. Returns host buffers to the controller. It is answered only if it is
/// invalid, and bypasses the command flow control.
package struct HCIHostNumberOfCompletedPackets: HCICommand {
  package static let opcode = CommandOpcode.hostNumberOfCompletedPackets

  /// The entries, preceded by a one-octet count.
  package var completed: [CompletedPackets] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Handles", &completed)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.69 HCI_Set_Event_Mask_Page_2. Selects the events of the second page that the controller sends.
package struct HCISetEventMaskPage2: HCISyncCommand {
  package static let opcode = CommandOpcode.setEventMaskPage2
  package typealias ReturnParameters = StatusReturn

  /// The events to send.
  package var eventMask: EventMaskPage2 = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("Event_Mask_Page_2", &eventMask)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.78 HCI_Read_LE_Host_Support. Reads whether the host has declared that it supports LE.
package struct HCIReadLEHostSupport: HCISyncCommand {
  package static let opcode = CommandOpcode.readLEHostSupport

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `LE_Supported_Host`.
    package var leSupported = false
    /// Simultaneous LE and BR/EDR in older versions.
    package var unused: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("LE_Supported_Host", &leSupported)
      try fields.integer("Unused", &unused)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.79 HCI_Write_LE_Host_Support. Declares to a BR/EDR/LE controller that the host supports LE. LE-only
/// controllers do not have it.
package struct HCIWriteLEHostSupport: HCISyncCommand {
  package static let opcode = CommandOpcode.writeLEHostSupport
  package typealias ReturnParameters = StatusReturn

  /// `LE_Supported_Host`.
  package var leSupported = false
  /// Simultaneous LE and BR/EDR in older versions.
  package var unused: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("LE_Supported_Host", &leSupported)
    try fields.integer("Unused", &unused)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.93 HCI_Read_Authenticated_Payload_Timeout. Reads the maximum time without an authenticated packet on an
/// encrypted link.
package struct HCIReadAuthenticatedPayloadTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.readAuthenticatedPayloadTimeout

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The connection.
    package var connectionHandle: ConnectionHandle = .zero
    /// `Authenticated_Payload_Timeout`.
    package var timeout = AuthenticatedPayloadTimeout(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.code("Authenticated_Payload_Timeout", &timeout)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.94 HCI_Write_Authenticated_Payload_Timeout. Sets the maximum time without an authenticated packet on an
/// encrypted link.
package struct HCIWriteAuthenticatedPayloadTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.writeAuthenticatedPayloadTimeout
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Authenticated_Payload_Timeout`.
  package var timeout = AuthenticatedPayloadTimeout(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Authenticated_Payload_Timeout", &timeout)
  }
}
