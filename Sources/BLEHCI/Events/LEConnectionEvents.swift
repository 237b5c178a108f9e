// LE Meta events about connections.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.65.1 HCI_LE_Connection_Complete. A connection was created, or this failed.
package struct LEConnectionComplete: LEMetaEvent {
  package static let subevent = LESubevent.leConnectionComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Role`.
  package var role = LinkRole(rawValue: 0)
  /// The type of the peer's address.
  package var peerAddressType = AddressType(rawValue: 0)
  /// The peer's address.
  package var peerAddress: DeviceAddress = .zero
  /// `Connection_Interval`.
  package var interval = ConnectionInterval(rawValue: 0)
  /// In connection events.
  package var latency: UInt16 = 0
  /// `Supervision_Timeout`.
  package var supervisionTimeout = SupervisionTimeout(rawValue: 0)
  /// `Central_Clock_Accuracy`.
  package var centralClockAccuracy = ClockAccuracy(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Role", &role)
    try fields.code("Peer_Address_Type", &peerAddressType)
    try fields.address("Peer_Address", &peerAddress)
    try fields.code("Connection_Interval", &interval)
    try fields.integer("Peripheral_Latency", &latency)
    try fields.code("Supervision_Timeout", &supervisionTimeout)
    try fields.code("Central_Clock_Accuracy", &centralClockAccuracy)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.3 HCI_LE_Connection_Update_Complete. The parameters of a connection have changed, or this failed.
package struct LEConnectionUpdateComplete: LEMetaEvent {
  package static let subevent = LESubevent.leConnectionUpdateComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Connection_Interval`.
  package var interval = ConnectionInterval(rawValue: 0)
  /// In connection events.
  package var latency: UInt16 = 0
  /// `Supervision_Timeout`.
  package var supervisionTimeout = SupervisionTimeout(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Connection_Interval", &interval)
    try fields.integer("Peripheral_Latency", &latency)
    try fields.code("Supervision_Timeout", &supervisionTimeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.4 HCI_LE_Read_Remote_Features_Complete. The features of the peer's link layer.
package struct LEReadRemoteFeaturesComplete: LEMetaEvent {
  package static let subevent = LESubevent.leReadRemoteFeaturesComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// The features, one bit each.
  package var features: LEFeatures = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.flags("LE_Features", &features)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.6 HCI_LE_Remote_Connection_Parameter_Request. The peer requests other parameters.
package struct LERemoteConnectionParameterRequest: LEMetaEvent {
  package static let subevent = LESubevent.leRemoteConnectionParameterRequest

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Interval_Min`.
  package var intervalMinimum = ConnectionInterval(rawValue: 0)
  /// `Interval_Max`.
  package var intervalMaximum = ConnectionInterval(rawValue: 0)
  /// In connection events.
  package var maximumLatency: UInt16 = 0
  /// `Timeout`.
  package var timeout = SupervisionTimeout(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Interval_Min", &intervalMinimum)
    try fields.code("Interval_Max", &intervalMaximum)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Timeout", &timeout)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.7 HCI_LE_Data_Length_Change. The maximum length of a connection's link-layer packets has changed.
package struct LEDataLengthChange: LEMetaEvent {
  package static let subevent = LESubevent.leDataLengthChange

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
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
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Max_TX_Octets", &maximumTxOctets)
    try fields.integer("Max_TX_Time", &maximumTxTime)
    try fields.integer("Max_RX_Octets", &maximumRxOctets)
    try fields.integer("Max_RX_Time", &maximumRxTime)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.10 HCI_LE_Enhanced_Connection_Complete_[v1]. A connection was created, or this failed; with the resolvable
/// addresses used.
package struct LEEnhancedConnectionComplete: LEMetaEvent {
  package static let subevent = LESubevent.leEnhancedConnectionComplete

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Role`.
  package var role = LinkRole(rawValue: 0)
  /// The type of the peer's address.
  package var peerAddressType = AddressType(rawValue: 0)
  /// The peer's address.
  package var peerAddress: DeviceAddress = .zero
  /// `Local_Resolvable_Private_Address`.
  package var localResolvablePrivateAddress: DeviceAddress = .zero
  /// `Peer_Resolvable_Private_Address`.
  package var peerResolvablePrivateAddress: DeviceAddress = .zero
  /// `Connection_Interval`.
  package var interval = ConnectionInterval(rawValue: 0)
  /// In connection events.
  package var latency: UInt16 = 0
  /// `Supervision_Timeout`.
  package var supervisionTimeout = SupervisionTimeout(rawValue: 0)
  /// `Central_Clock_Accuracy`.
  package var centralClockAccuracy = ClockAccuracy(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.code("Role", &role)
    try fields.code("Peer_Address_Type", &peerAddressType)
    try fields.address("Peer_Address", &peerAddress)
    try fields.address("Local_Resolvable_Private_Address", &localResolvablePrivateAddress)
    try fields.address("Peer_Resolvable_Private_Address", &peerResolvablePrivateAddress)
    try fields.code("Connection_Interval", &interval)
    try fields.integer("Peripheral_Latency", &latency)
    try fields.code("Supervision_Timeout", &supervisionTimeout)
    try fields.code("Central_Clock_Accuracy", &centralClockAccuracy)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.10 HCI_LE_Enhanced_Connection_Complete_[v2]. The same, with the advertising set that led to it.
package struct LEEnhancedConnectionCompleteV2: LEMetaEvent {
  package static let subevent = LESubevent.leEnhancedConnectionCompleteV2

  /// The fields of the first version.
  package var connection = LEEnhancedConnectionComplete()
  /// `Advertising_Handle`; 0xFF for none.
  package var advertisingHandle: UInt8 = 0xFF
  /// `Sync_Handle`; 0xFFFF for none.
  package var syncHandle: UInt16 = 0xFFFF

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try connection.visit(&fields)
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.integer("Sync_Handle", &syncHandle)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.12 HCI_LE_PHY_Update_Complete. The PHYs of a connection have changed, or this failed.
package struct LEPHYUpdateComplete: LEMetaEvent {
  package static let subevent = LESubevent.lePHYUpdateComplete

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

/// Core 5.4 Vol 4 Part E 7.7.65.20 HCI_LE_Channel_Selection_Algorithm. The channel selection algorithm of a new connection.
package struct LEChannelSelectionAlgorithm: LEMetaEvent {
  package static let subevent = LESubevent.leChannelSelectionAlgorithm

  /// The connection.
  package var connectionHandle: ConnectionHandle = .zero
  /// 0x00 for #1, 0x01 for #2.
  package var algorithm: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Channel_Selection_Algorithm", &algorithm)
  }
}
