// Controller & Baseband commands (OGF 0x03) that an LE controller has.

import BLECore

/// Core 5.4 Vol 4 Part E 7.3.1 HCI_Set_Event_Mask. Chooses which events the controller sends.
package struct HCISetEventMask: HCISyncCommand {
  package static let opcode = CommandOpcode.setEventMask
  package typealias ReturnParameters = StatusReturn

  /// The events wanted.
  package var eventMask: EventMask = .specificationDefault

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("Event_Mask", &eventMask)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.2 HCI_Reset. Puts the link layer and all HCI state back to the start.
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

  /// UTF-8, ended by a zero octet when shorter than 248 octets. 248 octets.
  package var localName: [UInt8] = Array(repeating: 0, count: 248)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.octets("Local_Name", &localName, count: 248)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.12 HCI_Read_Local_Name. Reads the name stored in the controller.
package struct HCIReadLocalName: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalName

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  package struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    package var status: ErrorCode = .success
    /// UTF-8, ended by a zero octet when shorter than 248 octets. 248 octets.
    package var localName: [UInt8] = Array(repeating: 0, count: 248)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.octets("Local_Name", &localName, count: 248)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.35 HCI_Read_Transmit_Power_Level. Reads the transmit power used on a connection.
package struct HCIReadTransmitPowerLevel: HCISyncCommand {
  package static let opcode = CommandOpcode.readTransmitPowerLevel

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// 0x00 for the current power, 0x01 for the highest.
  package var kind: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Type", &kind)
  }

  /// What Command Complete returns.
  package struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
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

/// Core 5.4 Vol 4 Part E 7.3.38 HCI_Set_Controller_To_Host_Flow_Control. Switches flow control of the data that the
/// controller sends.
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

  /// Octets of data in one ACL packet, without its header.
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

/// Core 5.4 Vol 4 Part E 7.3.40 HCI_Host_Number_Of_Completed_Packets. Gives host buffers back to the controller. Has
/// no answer unless it is wrong, and does not pass through the command flow control.
package struct HCIHostNumberOfCompletedPackets: HCICommand {
  package static let opcode = CommandOpcode.hostNumberOfCompletedPackets

  /// The entries, behind a count of one octet.
  package var completed: [CompletedPackets] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Handles", &completed)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.69 HCI_Set_Event_Mask_Page_2. Chooses which of the later events the controller sends.
package struct HCISetEventMaskPage2: HCISyncCommand {
  package static let opcode = CommandOpcode.setEventMaskPage2
  package typealias ReturnParameters = StatusReturn

  /// The events wanted.
  package var eventMask: EventMaskPage2 = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("Event_Mask_Page_2", &eventMask)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.78 HCI_Read_LE_Host_Support. Reads whether the host said that it supports LE.
package struct HCIReadLEHostSupport: HCISyncCommand {
  package static let opcode = CommandOpcode.readLEHostSupport

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  package struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    package var status: ErrorCode = .success
    /// `LE_Supported_Host`.
    package var leSupported = false
    /// Simultaneous LE and BR/EDR in old versions.
    package var unused: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("LE_Supported_Host", &leSupported)
      try fields.integer("Unused", &unused)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.79 HCI_Write_LE_Host_Support. Tells a BR/EDR/LE controller that the host supports LE; an
/// LE-only controller does not know it.
package struct HCIWriteLEHostSupport: HCISyncCommand {
  package static let opcode = CommandOpcode.writeLEHostSupport
  package typealias ReturnParameters = StatusReturn

  /// `LE_Supported_Host`.
  package var leSupported = false
  /// Simultaneous LE and BR/EDR in old versions.
  package var unused: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("LE_Supported_Host", &leSupported)
    try fields.integer("Unused", &unused)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.93 HCI_Read_Authenticated_Payload_Timeout. Reads how long an encrypted link may go
/// without an authenticated packet.
package struct HCIReadAuthenticatedPayloadTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.readAuthenticatedPayloadTimeout

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }

  /// What Command Complete returns.
  package struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
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

/// Core 5.4 Vol 4 Part E 7.3.94 HCI_Write_Authenticated_Payload_Timeout. Sets how long an encrypted link may go
/// without an authenticated packet.
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
