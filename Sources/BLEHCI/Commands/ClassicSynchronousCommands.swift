// Link Control commands (OGF 0x01) of BR/EDR: synchronous connections.

import BLECore

/// Core 5.4 Vol 4 Part E 7.1.26 HCI_Setup_Synchronous_Connection. Adds a synchronous connection, or changes one. Synchronous Connection
/// Complete or Changed reports the result.
package struct HCISetupSynchronousConnection: HCIAsyncCommand {
  package static let opcode = CommandOpcode.setupSynchronousConnection

  /// The ACL connection, or the synchronous one to change.
  package var connectionHandle = ConnectionHandle.zero
  /// In octets per second.
  package var transmitBandwidth: UInt32 = 8000
  /// In octets per second.
  package var receiveBandwidth: UInt32 = 8000
  /// In ms, 4...; 0xFFFF: any.
  package var maximumLatency: UInt16 = 0xFFFF
  /// The coding of the samples.
  package var voiceSetting = VoiceSetting(rawValue: 0x0060)
  /// Whether packets are sent again.
  package var retransmissionEffort = RetransmissionEffort.any
  /// The packets that the connection may use.
  package var packetTypes = SynchronousPacketTypes(rawValue: 0x003F)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Transmit_Bandwidth", &transmitBandwidth)
    try fields.integer("Receive_Bandwidth", &receiveBandwidth)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Voice_Setting", &voiceSetting)
    try fields.code("Retransmission_Effort", &retransmissionEffort)
    try fields.code("Packet_Type", &packetTypes)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.27 HCI_Accept_Synchronous_Connection_Request. Accepts a synchronous connection. Synchronous Connection
/// Complete reports the result.
package struct HCIAcceptSynchronousConnectionRequest: HCIAsyncCommand {
  package static let opcode = CommandOpcode.acceptSynchronousConnectionRequest

  /// The peer.
  package var address = DeviceAddress.zero
  /// In octets per second.
  package var transmitBandwidth: UInt32 = 8000
  /// In octets per second.
  package var receiveBandwidth: UInt32 = 8000
  /// In ms, 4...; 0xFFFF: any.
  package var maximumLatency: UInt16 = 0xFFFF
  /// The coding of the samples.
  package var voiceSetting = VoiceSetting(rawValue: 0x0060)
  /// Whether packets are sent again.
  package var retransmissionEffort = RetransmissionEffort.any
  /// The packets that the connection may use.
  package var packetTypes = SynchronousPacketTypes(rawValue: 0x003F)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.integer("Transmit_Bandwidth", &transmitBandwidth)
    try fields.integer("Receive_Bandwidth", &receiveBandwidth)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Voice_Setting", &voiceSetting)
    try fields.code("Retransmission_Effort", &retransmissionEffort)
    try fields.code("Packet_Type", &packetTypes)
  }
}

/// Core 5.4 Vol 4 Part E 7.1.28 HCI_Reject_Synchronous_Connection_Request. Rejects a synchronous connection.
package struct HCIRejectSynchronousConnectionRequest: HCIAsyncCommand {
  package static let opcode = CommandOpcode.rejectSynchronousConnectionRequest

  /// The peer.
  package var address = DeviceAddress.zero
  /// Limited resources (0x0D), security (0x0E) or an unacceptable address (0x0F).
  package var reason = ErrorCode.connectionRejectedLimitedResources

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("BD_ADDR", &address)
    try fields.code("Reason", &reason)
  }
}
