// Controller & Baseband commands (OGF 0x03) of BR/EDR: events, timeouts and data.

import BLECore

/// Core 5.4 Vol 4 Part E 7.3.3 HCI_Set_Event_Filter. Restricts the events of inquiries and connections.
package struct HCISetEventFilter: HCISyncCommand {
  package static let opcode = CommandOpcode.setEventFilter
  package typealias ReturnParameters = StatusReturn

  /// What is restricted.
  package var type = EventFilterType.clearAll
  /// The type of condition and the condition, which depend on the type of filter.
  package var condition: [UInt8] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Filter_Type", &type)
    try fields.remainder("Filter_Condition", &condition)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.4 HCI_Flush. Discards all data that waits on a connection.
package struct HCIFlush: HCISyncCommand {
  package static let opcode = CommandOpcode.flush
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.13 HCI_Read_Connection_Accept_Timeout. Reads how long the controller waits for the host to accept a
/// connection.
package struct HCIReadConnectionAcceptTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.readConnectionAcceptTimeout

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The time.
    package var timeout = BasebandSlots(rawValue: 0x1F40)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Accept_Timeout", &timeout)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.14 HCI_Write_Connection_Accept_Timeout. Sets how long the controller waits for the host to accept a
/// connection.
package struct HCIWriteConnectionAcceptTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.writeConnectionAcceptTimeout
  package typealias ReturnParameters = StatusReturn

  /// The time.
  package var timeout = BasebandSlots(rawValue: 0x1F40)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Accept_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.15 HCI_Read_Page_Timeout. Reads how long the controller tries to create a connection.
package struct HCIReadPageTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.readPageTimeout

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The longest time that creating a connection may take.
    package var timeout = BasebandSlots(rawValue: 0x2000)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Page_Timeout", &timeout)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.16 HCI_Write_Page_Timeout. Sets how long the controller tries to create a connection.
package struct HCIWritePageTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.writePageTimeout
  package typealias ReturnParameters = StatusReturn

  /// The longest time that creating a connection may take.
  package var timeout = BasebandSlots(rawValue: 0x2000)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Page_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.27 HCI_Read_Voice_Setting. Reads the coding of voice.
package struct HCIReadVoiceSetting: HCISyncCommand {
  package static let opcode = CommandOpcode.readVoiceSetting

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The coding of the samples.
    package var setting = VoiceSetting(rawValue: 0x0060)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Voice_Setting", &setting)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.28 HCI_Write_Voice_Setting. Sets the coding of voice.
package struct HCIWriteVoiceSetting: HCISyncCommand {
  package static let opcode = CommandOpcode.writeVoiceSetting
  package typealias ReturnParameters = StatusReturn

  /// The coding of the samples.
  package var setting = VoiceSetting(rawValue: 0x0060)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Voice_Setting", &setting)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.29 HCI_Read_Automatic_Flush_Timeout. Reads after which time a packet is discarded.
package struct HCIReadAutomaticFlushTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.readAutomaticFlushTimeout

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
    /// The time; 0: packets are never discarded.
    package var timeout = BasebandSlots(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.code("Flush_Timeout", &timeout)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.30 HCI_Write_Automatic_Flush_Timeout. Sets after which time a packet is discarded.
package struct HCIWriteAutomaticFlushTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.writeAutomaticFlushTimeout
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The time; 0: packets are never discarded.
  package var timeout = BasebandSlots(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Flush_Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.36 HCI_Read_Synchronous_Flow_Control_Enable. Reads whether synchronous data has flow control.
package struct HCIReadSynchronousFlowControlEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.readSynchronousFlowControlEnable

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// Whether the controller reports completed packets of synchronous connections.
    package var isEnabled = false

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("Synchronous_Flow_Control_Enable", &isEnabled)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.37 HCI_Write_Synchronous_Flow_Control_Enable. Sets whether synchronous data has flow control.
package struct HCIWriteSynchronousFlowControlEnable: HCISyncCommand {
  package static let opcode = CommandOpcode.writeSynchronousFlowControlEnable
  package typealias ReturnParameters = StatusReturn

  /// Whether the controller reports completed packets of synchronous connections.
  package var isEnabled = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Synchronous_Flow_Control_Enable", &isEnabled)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.41 HCI_Read_Link_Supervision_Timeout. Reads after which silence a connection is lost.
package struct HCIReadLinkSupervisionTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.readLinkSupervisionTimeout

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The connection.
    package var connectionHandle = ConnectionHandle.zero
    /// The silence after which a connection is lost.
    package var timeout = BasebandSlots(rawValue: 0x7D00)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle", &connectionHandle)
      try fields.code("Link_Supervision_Timeout", &timeout)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.42 HCI_Write_Link_Supervision_Timeout. Sets after which silence a connection is lost.
package struct HCIWriteLinkSupervisionTimeout: HCISyncCommand {
  package static let opcode = CommandOpcode.writeLinkSupervisionTimeout

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The silence after which a connection is lost.
  package var timeout = BasebandSlots(rawValue: 0x7D00)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
    try fields.code("Link_Supervision_Timeout", &timeout)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// The connection.
    package var connectionHandle = ConnectionHandle.zero

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle", &connectionHandle)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.64 HCI_Read_Default_Erroneous_Data_Reporting. Reads whether damaged synchronous packets are reported.
package struct HCIReadDefaultErroneousDataReporting: HCISyncCommand {
  package static let opcode = CommandOpcode.readDefaultErroneousDataReporting

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status = ErrorCode.success
    /// Whether the controller passes on damaged packets.
    package var isEnabled = false

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.boolean("Erroneous_Data_Reporting", &isEnabled)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.3.65 HCI_Write_Default_Erroneous_Data_Reporting. Sets whether damaged synchronous packets are reported.
package struct HCIWriteDefaultErroneousDataReporting: HCISyncCommand {
  package static let opcode = CommandOpcode.writeDefaultErroneousDataReporting
  package typealias ReturnParameters = StatusReturn

  /// Whether the controller passes on damaged packets.
  package var isEnabled = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.boolean("Erroneous_Data_Reporting", &isEnabled)
  }
}

/// Core 5.4 Vol 4 Part E 7.3.66 HCI_Enhanced_Flush. Discards flushable packets of a connection. Enhanced Flush Complete reports the end.
package struct HCIEnhancedFlush: HCIAsyncCommand {
  package static let opcode = CommandOpcode.enhancedFlush

  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// 0x00: automatically flushable packets only.
  package var packetType: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
    try fields.integer("Packet_Type", &packetType)
  }
}
