// Zephyr's vendor commands (OGF 0x3F). Other manufacturers use these opcodes for other commands, so check the manufacturer first.

import BLECore

/// Zephyr hci_vs.h: reads the chip and firmware versions.
package struct ZephyrReadVersionInformation: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrReadVersionInformation

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// 0x0002 for Nordic Semiconductor.
    package var hardwarePlatform: UInt16 = 0
    /// `Hardware_Variant`.
    package var hardwareVariant: UInt16 = 0
    /// `Firmware_Variant`.
    package var firmwareVariant: UInt8 = 0
    /// `Firmware_Version`.
    package var firmwareVersion: UInt8 = 0
    /// `Firmware_Revision`.
    package var firmwareRevision: UInt16 = 0
    /// `Firmware_Build`.
    package var firmwareBuild: UInt32 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Hardware_Platform", &hardwarePlatform)
      try fields.integer("Hardware_Variant", &hardwareVariant)
      try fields.integer("Firmware_Variant", &firmwareVariant)
      try fields.integer("Firmware_Version", &firmwareVersion)
      try fields.integer("Firmware_Revision", &firmwareRevision)
      try fields.integer("Firmware_Build", &firmwareBuild)
    }
  }
}

/// Zephyr hci_vs.h: reads the vendor commands that the firmware was built with.
package struct ZephyrReadSupportedCommands: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrReadSupportedCommands

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// One bit for each command; 64 octets.
    package var commands: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.remainder("Supported_Commands", &commands)
    }

    /// Whether transmit powers can be set (octet 1, bit 5: hci.c, built with `CONFIG_BT_CTLR_TX_PWR_DYNAMIC_CONTROL`).
    package var writesTransmitPower: Bool { commands.count > 1 && commands[1] & 0x20 != 0 }
  }
}

/// Zephyr hci_vs.h: sets the controller's public address.
package struct ZephyrWriteBDADDR: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrWriteBDADDR
  package typealias ReturnParameters = StatusReturn

  /// The address, least significant octet first on the wire.
  package var address: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Zephyr hci_vs.h: reads the firmware's name as text.
package struct ZephyrReadBuildInformation: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrReadBuildInformation

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// ASCII, terminated by a zero octet.
    package var text: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.remainder("Build_Information", &text)
    }
  }
}

/// Zephyr hci_vs.h: reads the random static addresses that the chip has from the factory.
package struct ZephyrReadStaticAddresses: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrReadStaticAddresses

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The entries, preceded by a one-octet count.
    package var addresses: [ZephyrStaticAddress] = []
    /// Stale octets that some builds send after the list.
    package var unused: [UInt8] = []

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.countedList("Num_Static_Addresses", &addresses)
      try fields.remainder("Unused", &unused)
    }
  }
}

/// Zephyr hci_vs.h: sets the transmit power of advertising, scanning or a connection.
package struct ZephyrWriteTxPowerLevel: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrWriteTxPowerLevel

  /// `Handle_Type`.
  package var handleType = ZephyrTxPowerHandleType(rawValue: 0)
  /// An advertising handle or a connection handle, depending on the type.
  package var handle: UInt16 = 0
  /// In dBm.
  package var txPowerLevel: Int8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle_Type", &handleType)
    try fields.integer("Handle", &handle)
    try fields.integer("TX_Power_Level", &txPowerLevel)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Handle_Type`.
    package var handleType = ZephyrTxPowerHandleType(rawValue: 0)
    /// `Handle`.
    package var handle: UInt16 = 0
    /// In dBm.
    package var selectedTxPowerLevel: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle_Type", &handleType)
      try fields.integer("Handle", &handle)
      try fields.integer("Selected_TX_Power_Level", &selectedTxPowerLevel)
    }
  }
}

/// Zephyr hci_vs.h: reads the transmit power of advertising, scanning or a connection.
package struct ZephyrReadTxPowerLevel: HCISyncCommand {
  package static let opcode = CommandOpcode.zephyrReadTxPowerLevel

  /// `Handle_Type`.
  package var handleType = ZephyrTxPowerHandleType(rawValue: 0)
  /// An advertising handle or a connection handle, depending on the type.
  package var handle: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle_Type", &handleType)
    try fields.integer("Handle", &handle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Handle_Type`.
    package var handleType = ZephyrTxPowerHandleType(rawValue: 0)
    /// `Handle`.
    package var handle: UInt16 = 0
    /// In dBm.
    package var txPowerLevel: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle_Type", &handleType)
      try fields.integer("Handle", &handle)
      try fields.integer("TX_Power_Level", &txPowerLevel)
    }
  }
}
