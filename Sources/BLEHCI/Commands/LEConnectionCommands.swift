// Creating, changing and filtering connections (OGF 0x08).

import BLECore

/// Core 5.4 Vol 4 Part E 7.8.12 HCI_LE_Create_Connection. Connects to a peer that advertises. Connection Complete reports the result.
package struct LECreateConnection: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leCreateConnection

  /// `LE_Scan_Interval`.
  package var scanInterval = ScanInterval(rawValue: 0x0060)
  /// `LE_Scan_Window`.
  package var scanWindow = ScanInterval(rawValue: 0x0030)
  /// `Initiator_Filter_Policy`.
  package var initiatorFilterPolicy = InitiatorFilterPolicy(rawValue: 0)
  /// The type of the peer's address.
  package var peerAddressType = AddressType(rawValue: 0)
  /// The peer's address.
  package var peerAddress: DeviceAddress = .zero
  /// The type of the local address.
  package var ownAddressType = OwnAddressType(rawValue: 0)
  /// `Connection_Interval_Min`.
  package var intervalMinimum = ConnectionInterval(rawValue: 24)
  /// `Connection_Interval_Max`.
  package var intervalMaximum = ConnectionInterval(rawValue: 24)
  /// In connection events, 0...499.
  package var maximumLatency: UInt16 = 0
  /// `Supervision_Timeout`.
  package var supervisionTimeout = SupervisionTimeout(rawValue: 500)
  /// `Min_CE_Length`.
  package var minimumEventLength = ConnectionEventLength(rawValue: 0)
  /// `Max_CE_Length`.
  package var maximumEventLength = ConnectionEventLength(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("LE_Scan_Interval", &scanInterval)
    try fields.code("LE_Scan_Window", &scanWindow)
    try fields.code("Initiator_Filter_Policy", &initiatorFilterPolicy)
    try fields.code("Peer_Address_Type", &peerAddressType)
    try fields.address("Peer_Address", &peerAddress)
    try fields.code("Own_Address_Type", &ownAddressType)
    try fields.code("Connection_Interval_Min", &intervalMinimum)
    try fields.code("Connection_Interval_Max", &intervalMaximum)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Supervision_Timeout", &supervisionTimeout)
    try fields.code("Min_CE_Length", &minimumEventLength)
    try fields.code("Max_CE_Length", &maximumEventLength)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.13 HCI_LE_Create_Connection_Cancel. Cancels connecting.
package struct LECreateConnectionCancel: HCISyncCommand {
  package static let opcode = CommandOpcode.leCreateConnectionCancel
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.8.14 HCI_LE_Read_Filter_Accept_List_Size. Reads the size of the filter accept list.
package struct LEReadFilterAcceptListSize: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadFilterAcceptListSize

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}

  /// The return parameters in Command Complete.
  package struct ReturnParameters: HCIReturnParameters {
    /// Success or the error.
    package var status: ErrorCode = .success
    /// `Filter_Accept_List_Size`.
    package var size: UInt8 = 0

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.integer("Filter_Accept_List_Size", &size)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.15 HCI_LE_Clear_Filter_Accept_List. Empties the filter accept list.
package struct LEClearFilterAcceptList: HCISyncCommand {
  package static let opcode = CommandOpcode.leClearFilterAcceptList
  package typealias ReturnParameters = StatusReturn

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.8.16 HCI_LE_Add_Device_To_Filter_Accept_List. Adds one address to the filter accept list.
package struct LEAddDeviceToFilterAcceptList: HCISyncCommand {
  package static let opcode = CommandOpcode.leAddDeviceToFilterAcceptList
  package typealias ReturnParameters = StatusReturn

  /// The type of the address.
  package var addressType = AddressType(rawValue: 0)
  /// The address, least significant octet first on the wire.
  package var address: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Address_Type", &addressType)
    try fields.address("Address", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.17 HCI_LE_Remove_Device_From_Filter_Accept_List. Removes one address from the filter accept list.
package struct LERemoveDeviceFromFilterAcceptList: HCISyncCommand {
  package static let opcode = CommandOpcode.leRemoveDeviceFromFilterAcceptList
  package typealias ReturnParameters = StatusReturn

  /// The type of the address.
  package var addressType = AddressType(rawValue: 0)
  /// The address, least significant octet first on the wire.
  package var address: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Address_Type", &addressType)
    try fields.address("Address", &address)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.18 HCI_LE_Connection_Update. Changes the parameters of a connection.
package struct LEConnectionUpdate: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leConnectionUpdate

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Connection_Interval_Min`.
  package var intervalMinimum = ConnectionInterval(rawValue: 0)
  /// `Connection_Interval_Max`.
  package var intervalMaximum = ConnectionInterval(rawValue: 0)
  /// In connection events, 0...499.
  package var maximumLatency: UInt16 = 0
  /// `Supervision_Timeout`.
  package var supervisionTimeout = SupervisionTimeout(rawValue: 0)
  /// `Min_CE_Length`.
  package var minimumEventLength = ConnectionEventLength(rawValue: 0)
  /// `Max_CE_Length`.
  package var maximumEventLength = ConnectionEventLength(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Connection_Interval_Min", &intervalMinimum)
    try fields.code("Connection_Interval_Max", &intervalMaximum)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Supervision_Timeout", &supervisionTimeout)
    try fields.code("Min_CE_Length", &minimumEventLength)
    try fields.code("Max_CE_Length", &maximumEventLength)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.19 HCI_LE_Set_Host_Channel_Classification. Sets the data channels that are not known to be bad.
package struct LESetHostChannelClassification: HCISyncCommand {
  package static let opcode = CommandOpcode.leSetHostChannelClassification
  package typealias ReturnParameters = StatusReturn

  /// `Channel_Map`.
  package var channelMap = ChannelMap()

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.nested(&channelMap)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.20 HCI_LE_Read_Channel_Map. Reads the data channels that a connection uses.
package struct LEReadChannelMap: HCISyncCommand {
  package static let opcode = CommandOpcode.leReadChannelMap

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
    /// `Channel_Map`.
    package var channelMap = ChannelMap()

    package init() {}

    package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
      try fields.code("Status", &status)
      try fields.code("Connection_Handle", &connectionHandle)
      try fields.nested(&channelMap)
    }
  }
}

/// Core 5.4 Vol 4 Part E 7.8.21 HCI_LE_Read_Remote_Features. Asks the peer's link layer for its features.
package struct LEReadRemoteFeatures: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leReadRemoteFeatures

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.31 HCI_LE_Remote_Connection_Parameter_Request_Reply. Accepts the parameters that the peer requested.
package struct LERemoteConnectionParameterRequestReply: HCISyncCommand {
  package static let opcode = CommandOpcode.leRemoteConnectionParameterRequestReply
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Interval_Min`.
  package var intervalMinimum = ConnectionInterval(rawValue: 0)
  /// `Interval_Max`.
  package var intervalMaximum = ConnectionInterval(rawValue: 0)
  /// In connection events, 0...499.
  package var maximumLatency: UInt16 = 0
  /// `Timeout`.
  package var timeout = SupervisionTimeout(rawValue: 0)
  /// `Min_CE_Length`.
  package var minimumEventLength = ConnectionEventLength(rawValue: 0)
  /// `Max_CE_Length`.
  package var maximumEventLength = ConnectionEventLength(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Interval_Min", &intervalMinimum)
    try fields.code("Interval_Max", &intervalMaximum)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Timeout", &timeout)
    try fields.code("Min_CE_Length", &minimumEventLength)
    try fields.code("Max_CE_Length", &maximumEventLength)
  }
}

extension LERemoteConnectionParameterRequestReply {
  /// Creates the reply that accepts a request unchanged.
  package init(accepting request: LERemoteConnectionParameterRequest) {
    connectionHandle = request.connectionHandle
    intervalMinimum = request.intervalMinimum
    intervalMaximum = request.intervalMaximum
    maximumLatency = request.maximumLatency
    timeout = request.timeout
  }
}

/// Core 5.4 Vol 4 Part E 7.8.32 HCI_LE_Remote_Connection_Parameter_Request_Negative_Reply. Refuses the parameters that the peer requested.
package struct LERemoteConnectionParameterRequestNegativeReply: HCISyncCommand {
  package static let opcode = CommandOpcode.leRemoteConnectionParameterRequestNegativeReply
  package typealias ReturnParameters = ConnectionReturn

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// The reason.
  package var reason: ErrorCode = .unacceptableConnectionParameters

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Reason", &reason)
  }
}

/// Core 5.4 Vol 4 Part E 7.8.66 HCI_LE_Extended_Create_Connection_[v1]. Connects to a peer that advertises on any PHY.
package struct LEExtendedCreateConnection: HCIAsyncCommand {
  package static let opcode = CommandOpcode.leExtendedCreateConnection

  /// `Initiator_Filter_Policy`.
  package var initiatorFilterPolicy = InitiatorFilterPolicy(rawValue: 0)
  /// The type of the local address.
  package var ownAddressType = OwnAddressType(rawValue: 0)
  /// The type of the peer's address.
  package var peerAddressType = AddressType(rawValue: 0)
  /// The peer's address.
  package var peerAddress: DeviceAddress = .zero
  /// `Initiating_PHYs`.
  package var phys: PHYSet = .le1M
  /// One entry per PHY in `phys`, lowest bit first.
  package var parameters = [InitiatingPHYParameters()]

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Initiator_Filter_Policy", &initiatorFilterPolicy)
    try fields.code("Own_Address_Type", &ownAddressType)
    try fields.code("Peer_Address_Type", &peerAddressType)
    try fields.address("Peer_Address", &peerAddress)
    try fields.flags("Initiating_PHYs", &phys)
    try fields.list("InitiatingPHYParameters", &parameters, count: phys.parameterCount)
  }
}
