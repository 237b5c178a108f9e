// Informational parameters (OGF 0x04) and status parameters (OGF 0x05).

import BLECore

/// Core 5.4 Vol 4 Part E 7.4.1 HCI_Read_Local_Version_Information. Reads the controller's manufacturer and its version of the
/// specification.
package struct HCIReadLocalVersionInformation: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalVersionInformation

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `HCI_Version`.
    package var hciVersion = CoreVersion(rawValue: 0)
    /// Manufacturer-specific.
    package var hciSubversion: UInt16 = 0
    /// On LE, the version of the link layer.
    package var lmpVersion = CoreVersion(rawValue: 0)
    /// `Company_Identifier`.
    package var manufacturer = ControllerManufacturer(rawValue: 0)
    /// Manufacturer-specific.
    package var lmpSubversion: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("HCI_Version", &hciVersion)
      try fields.integer("HCI_Subversion", &hciSubversion)
      try fields.code("LMP_Version", &lmpVersion)
      try fields.code("Company_Identifier", &manufacturer)
      try fields.integer("LMP_Subversion", &lmpSubversion)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.4.2 HCI_Read_Local_Supported_Commands. Reads the commands that the controller supports.
package struct HCIReadLocalSupportedCommands: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalSupportedCommands

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Supported_Commands`.
    package var supportedCommands = SupportedCommands()

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.nested(&supportedCommands)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.4.3 HCI_Read_Local_Supported_Features. Reads the controller's LMP features, page 0.
package struct HCIReadLocalSupportedFeatures: HCISyncCommand {
  package static let opcode = CommandOpcode.readLocalSupportedFeatures

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The features, one bit each.
    package var features: LMPFeatures = []

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.flags("LMP_Features", &features)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.4.5 HCI_Read_Buffer_Size. Reads the data buffers that BR/EDR and LE share if LE Read Buffer Size returns zero.
package struct HCIReadBufferSize: HCISyncCommand {
  package static let opcode = CommandOpcode.readBufferSize

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The data octets in one ACL packet, without its header.
    package var aclDataPacketLength: UInt16 = 0
    /// `Synchronous_Data_Packet_Length`.
    package var synchronousDataPacketLength: UInt8 = 0
    /// `Total_Num_ACL_Data_Packets`.
    package var totalACLDataPackets: UInt16 = 0
    /// `Total_Num_Synchronous_Data_Packets`.
    package var totalSynchronousDataPackets: UInt16 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("ACL_Data_Packet_Length", &aclDataPacketLength)
      try fields.integer("Synchronous_Data_Packet_Length", &synchronousDataPacketLength)
      try fields.integer("Total_Num_ACL_Data_Packets", &totalACLDataPackets)
      try fields.integer("Total_Num_Synchronous_Data_Packets", &totalSynchronousDataPackets)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.4.6 HCI_Read_BD_ADDR. Reads the controller's public address; all zeros if it has none.
package struct HCIReadBDADDR: HCISyncCommand {
  package static let opcode = CommandOpcode.readBDADDR

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The address, least significant octet first on the wire.
    package var address: DeviceAddress = .zero

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.address("BD_ADDR", &address)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.5.4 HCI_Read_RSSI. Reads the signal strength of the last packet of a connection.
package struct HCIReadRSSI: HCISyncCommand {
  package static let opcode = CommandOpcode.readRSSI

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Handle", &connectionHandle)
  }

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// The connection.
    package var connectionHandle: ConnectionHandle = .zero
    /// In dBm, -127...20; 127 if unknown.
    package var rssi: Int8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Handle", &connectionHandle)
      try fields.integer("RSSI", &rssi)
    }
  }
}
