// Data length and PHY (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.33 HCI_LE_Set_Data_Length. Suggests the maximum length of a connection's link-layer packets.
package struct LESetDataLength: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetDataLength
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// 27...251.
  package var txOctets: UInt16 = 27
  /// In microseconds, 328...17040.
  package var txTime: UInt16 = 328

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("TX_Octets", &txOctets)
    try fields.integer("TX_Time", &txTime)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.34 HCI_LE_Read_Suggested_Default_Data_Length. Reads the data length suggested for new
/// connections.
package struct LEReadSuggestedDefaultDataLength: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadSuggestedDefaultDataLength

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// 27...251.
    package var maximumTxOctets: UInt16 = 0
    /// In microseconds.
    package var maximumTxTime: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Suggested_Max_TX_Octets", &maximumTxOctets)
      try fields.integer("Suggested_Max_TX_Time", &maximumTxTime)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.35 HCI_LE_Write_Suggested_Default_Data_Length. Suggests the data length of new
/// connections.
package struct LEWriteSuggestedDefaultDataLength: HCISyncCommand {
  package static let opcode = CommandOpcode.leWriteSuggestedDefaultDataLength
  package typealias ReturnParameters = StatusReturn

  /// 27...251.
  package var maximumTxOctets: UInt16 = 27
  /// In microseconds, 328...17040.
  package var maximumTxTime: UInt16 = 328

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Suggested_Max_TX_Octets", &maximumTxOctets)
    try fields.integer("Suggested_Max_TX_Time", &maximumTxTime)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.46 HCI_LE_Read_Maximum_Data_Length. Reads the maximum length of link-layer packets that the controller can
/// send and receive.
package struct LEReadMaximumDataLength: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadMaximumDataLength

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// 27...251.
    package var maximumTxOctets: UInt16 = 0
    /// In microseconds.
    package var maximumTxTime: UInt16 = 0
    /// 27...251.
    package var maximumRxOctets: UInt16 = 0
    /// In microseconds.
    package var maximumRxTime: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Supported_Max_TX_Octets", &maximumTxOctets)
      try fields.integer("Supported_Max_TX_Time", &maximumTxTime)
      try fields.integer("Supported_Max_RX_Octets", &maximumRxOctets)
      try fields.integer("Supported_Max_RX_Time", &maximumRxTime)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.47 HCI_LE_Read_PHY. Reads the PHYs that a connection uses.
package struct LEReadPHY: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadPHY

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
    /// `TX_PHY`.
    package var txPHY = PHY(rawValue: 0)
    /// `RX_PHY`.
    package var rxPHY = PHY(rawValue: 0)

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.code("TX_PHY", &txPHY)
      try fields.code("RX_PHY", &rxPHY)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.48 HCI_LE_Set_Default_PHY. Sets the preferred PHYs of new connections.
package struct LESetDefaultPHY: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetDefaultPHY
  package typealias ReturnParameters = StatusReturn

  /// `ALL_PHYS`.
  package var noPreference: PHYPreference = []
  /// `TX_PHYS`.
  package var txPHYs: PHYSet = []
  /// `RX_PHYS`.
  package var rxPHYs: PHYSet = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.flags("ALL_PHYS", &noPreference)
    try fields.flags("TX_PHYS", &txPHYs)
    try fields.flags("RX_PHYS", &rxPHYs)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.49 HCI_LE_Set_PHY. Requests other PHYs on a connection. PHY Update Complete reports the result.
package struct LESetPHY: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leSetPHY

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `ALL_PHYS`.
  package var noPreference: PHYPreference = []
  /// `TX_PHYS`.
  package var txPHYs: PHYSet = []
  /// `RX_PHYS`.
  package var rxPHYs: PHYSet = []
  /// Preferred coding: 0 none, 1 S=2, 2 S=8.
  package var options: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.flags("ALL_PHYS", &noPreference)
    try fields.flags("TX_PHYS", &txPHYs)
    try fields.flags("RX_PHYS", &rxPHYs)
    try fields.integer("PHY_Options", &options)
  }
}
