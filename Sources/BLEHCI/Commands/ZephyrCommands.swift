// Zephyr's vendor commands (OGF 0x3F). Other makers give the same numbers another meaning: look at the manufacturer first.

import BLECore

/// Zephyr hci_vs.h: Reads which chip and firmware this is.
public struct ZephyrReadVersionInformation: HCISyncCommand {
  public static let opcode = CommandOpcode.zephyrReadVersionInformation

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// 0x0002 for Nordic Semiconductor.
    public var hardwarePlatform: UInt16 = 0
    /// `Hardware_Variant`.
    public var hardwareVariant: UInt16 = 0
    /// `Firmware_Variant`.
    public var firmwareVariant: UInt8 = 0
    /// `Firmware_Version`.
    public var firmwareVersion: UInt8 = 0
    /// `Firmware_Revision`.
    public var firmwareRevision: UInt16 = 0
    /// `Firmware_Build`.
    public var firmwareBuild: UInt32 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
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

/// Zephyr hci_vs.h: Sets the controller's public address.
public struct ZephyrWriteBDADDR: HCISyncCommand {
  public static let opcode = CommandOpcode.zephyrWriteBDADDR
  public typealias ReturnParameters = StatusReturn

  /// The address, least significant octet first on the wire.
  public var address: DeviceAddress = .zero

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
  }
}

/// Zephyr hci_vs.h: Reads the firmware's name as text.
public struct ZephyrReadBuildInformation: HCISyncCommand {
  public static let opcode = CommandOpcode.zephyrReadBuildInformation

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// ASCII, ended by a zero octet.
    public var text: [UInt8] = []

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.remainder("Build_Information", &text)
    }
  }
}

/// Zephyr hci_vs.h: Reads the random static addresses burnt into the chip.
public struct ZephyrReadStaticAddresses: HCISyncCommand {
  public static let opcode = CommandOpcode.zephyrReadStaticAddresses

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// The entries, behind a count of one octet.
    public var addresses: [ZephyrStaticAddress] = []
    /// Stale octets that some builds send behind the list.
    public var unused: [UInt8] = []

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.countedList("Num_Static_Addresses", &addresses)
      try fields.remainder("Unused", &unused)
    }
  }
}

/// Zephyr hci_vs.h: Sets the transmit power of advertising, scanning or a connection.
public struct ZephyrWriteTxPowerLevel: HCISyncCommand {
  public static let opcode = CommandOpcode.zephyrWriteTxPowerLevel

  /// `Handle_Type`.
  public var handleType = ZephyrTxPowerHandleType(rawValue: 0)
  /// An advertising handle or a connection handle, by the type.
  public var handle: UInt16 = 0
  /// In dBm.
  public var txPowerLevel: Int8 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle_Type", &handleType)
    try fields.integer("Handle", &handle)
    try fields.integer("TX_Power_Level", &txPowerLevel)
  }

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// `Handle_Type`.
    public var handleType = ZephyrTxPowerHandleType(rawValue: 0)
    /// `Handle`.
    public var handle: UInt16 = 0
    /// In dBm.
    public var selectedTxPowerLevel: Int8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle_Type", &handleType)
      try fields.integer("Handle", &handle)
      try fields.integer("Selected_TX_Power_Level", &selectedTxPowerLevel)
    }
  }
}

/// Zephyr hci_vs.h: Reads the transmit power of advertising, scanning or a connection.
public struct ZephyrReadTxPowerLevel: HCISyncCommand {
  public static let opcode = CommandOpcode.zephyrReadTxPowerLevel

  /// `Handle_Type`.
  public var handleType = ZephyrTxPowerHandleType(rawValue: 0)
  /// An advertising handle or a connection handle, by the type.
  public var handle: UInt16 = 0

  public init() {}

  public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle_Type", &handleType)
    try fields.integer("Handle", &handle)
  }

  /// What Command Complete returns.
  public struct ReturnParameters: HCIReturnParameters {
    /// Whether it worked.
    public var status: ErrorCode = .success
    /// `Handle_Type`.
    public var handleType = ZephyrTxPowerHandleType(rawValue: 0)
    /// `Handle`.
    public var handle: UInt16 = 0
    /// In dBm.
    public var txPowerLevel: Int8 = 0

    public init() {}

    public mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle_Type", &handleType)
      try fields.integer("Handle", &handle)
      try fields.integer("TX_Power_Level", &txPowerLevel)
    }
  }
}
