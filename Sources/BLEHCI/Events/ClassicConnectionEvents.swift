// Events of BR/EDR: connections.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.3 HCI_Connection_Complete. A connection has been created, or not.
package struct HCIConnectionComplete: HCIEvent {
  package static let code = EventCode.connectionComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The peer.
  package var address = DeviceAddress.zero
  /// The kind of connection.
  package var linkType = BasebandLinkType.acl
  /// Whether it is encrypted.
  package var isEncrypted = false

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.address("BD_ADDR", &address)
    try fields.code("Link_Type", &linkType)
    try fields.boolean("Encryption_Enabled", &isEncrypted)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.4 HCI_Connection_Request. A device wants to connect.
package struct HCIConnectionRequest: HCIEvent {
  package static let code = EventCode.connectionRequest

  /// The peer.
  package var address = DeviceAddress.zero
  /// What the device is.
  package var classOfDevice = ClassOfDevice(rawValue: 0)
  /// The kind of connection.
  package var linkType = BasebandLinkType.acl

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code24("Class_Of_Device", &classOfDevice)
    try fields.code("Link_Type", &linkType)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.35 HCI_Synchronous_Connection_Complete. A synchronous connection has been created, or not.
package struct HCISynchronousConnectionComplete: HCIEvent {
  package static let code = EventCode.synchronousConnectionComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The peer.
  package var address = DeviceAddress.zero
  /// The kind of connection.
  package var linkType = BasebandLinkType.esco
  /// In slots; 0 for SCO.
  package var transmissionInterval: UInt8 = 0
  /// In slots; 0 for SCO.
  package var retransmissionWindow: UInt8 = 0
  /// In octets; 0 for SCO.
  package var rxPacketLength: UInt16 = 0
  /// In octets; 0 for SCO.
  package var txPacketLength: UInt16 = 0
  /// The coding on the air.
  package var airMode = AirMode.cvsd

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.address("BD_ADDR", &address)
    try fields.code("Link_Type", &linkType)
    try fields.integer("Transmission_Interval", &transmissionInterval)
    try fields.integer("Retransmission_Window", &retransmissionWindow)
    try fields.integer("RX_Packet_Length", &rxPacketLength)
    try fields.integer("TX_Packet_Length", &txPacketLength)
    try fields.code("Air_Mode", &airMode)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.36 HCI_Synchronous_Connection_Changed. A synchronous connection has other parameters.
package struct HCISynchronousConnectionChanged: HCIEvent {
  package static let code = EventCode.synchronousConnectionChanged

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// In slots; 0 for SCO.
  package var transmissionInterval: UInt8 = 0
  /// In slots; 0 for SCO.
  package var retransmissionWindow: UInt8 = 0
  /// In octets; 0 for SCO.
  package var rxPacketLength: UInt16 = 0
  /// In octets; 0 for SCO.
  package var txPacketLength: UInt16 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Transmission_Interval", &transmissionInterval)
    try fields.integer("Retransmission_Window", &retransmissionWindow)
    try fields.integer("RX_Packet_Length", &rxPacketLength)
    try fields.integer("TX_Packet_Length", &txPacketLength)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.11 HCI_Read_Remote_Supported_Features_Complete. The peer has told its LMP features, page 0, or not.
package struct HCIReadRemoteSupportedFeaturesComplete: HCIEvent {
  package static let code = EventCode.readRemoteSupportedFeaturesComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The features of the page, one bit each.
  package var features = LMPFeaturePage(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("LMP_Features", &features)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.34 HCI_Read_Remote_Extended_Features_Complete. The peer has told a page of its LMP features, or not.
package struct HCIReadRemoteExtendedFeaturesComplete: HCIEvent {
  package static let code = EventCode.readRemoteExtendedFeaturesComplete

  /// Success or the error.
  package var status = ErrorCode.success
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The page.
  package var page: UInt8 = 0
  /// The last page that has features.
  package var lastPage: UInt8 = 0
  /// The features of the page, one bit each.
  package var features = LMPFeaturePage(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Page_Number", &page)
    try fields.integer("Max_Page_Number", &lastPage)
    try fields.code("Extended_LMP_Features", &features)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.50 HCI_Remote_Host_Supported_Features_Notification. The peer has told the features of its host.
package struct HCIRemoteHostSupportedFeaturesNotification: HCIEvent {
  package static let code = EventCode.remoteHostSupportedFeaturesNotification

  /// The peer.
  package var address = DeviceAddress.zero
  /// LMP features, page 1.
  package var features = LMPFeaturePage(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Host_Supported_Features", &features)
  }
}
