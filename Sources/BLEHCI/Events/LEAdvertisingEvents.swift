// LE Meta events about advertising and scanning.

import BLECore

/// Core 5.4 Vol 4 Part E 7.7.65.2 HCI_LE_Advertising_Report. Received legacy advertisements and scan responses.
package struct LEAdvertisingReport: LEMetaEvent {
  package static let subevent = LESubevent.leAdvertisingReport

  /// The entries, preceded by a one-octet count.
  package var reports: [AdvertisingReport] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Reports", &reports)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.11 HCI_LE_Directed_Advertising_Report. Directed advertisements to a resolvable
/// address that the controller could not resolve.
package struct LEDirectedAdvertisingReport: LEMetaEvent {
  package static let subevent = LESubevent.leDirectedAdvertisingReport

  /// The entries, preceded by a one-octet count.
  package var reports: [DirectedAdvertisingReport] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Reports", &reports)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.13 HCI_LE_Extended_Advertising_Report. Advertisements received by extended scanning.
package struct LEExtendedAdvertisingReport: LEMetaEvent {
  package static let subevent = LESubevent.leExtendedAdvertisingReport

  /// The entries, preceded by a one-octet count.
  package var reports: [ExtendedAdvertisingReport] = []

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.countedList("Num_Reports", &reports)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.17 HCI_LE_Scan_Timeout. Scanning has ended because its duration is over.
package struct LEScanTimeout: LEMetaEvent {
  package static let subevent = LESubevent.leScanTimeout

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {}
}

/// Core 5.4 Vol 4 Part E 7.7.65.18 HCI_LE_Advertising_Set_Terminated. An advertising set has stopped because of a connection, or at the end
/// of its duration or number of events.
package struct LEAdvertisingSetTerminated: LEMetaEvent {
  package static let subevent = LESubevent.leAdvertisingSetTerminated

  /// Success or the error.
  package var status: ErrorCode = .success
  /// The advertising set.
  package var advertisingHandle: UInt8 = 0
  /// Only if the status is success.
  package var connectionHandle: ConnectionHandle = .zero
  /// `Num_Completed_Extended_Advertising_Events`.
  package var completedEvents: UInt8 = 0

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Status", &status)
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Num_Completed_Extended_Advertising_Events", &completedEvents)
  }
}

/// Core 5.4 Vol 4 Part E 7.7.65.19 HCI_LE_Scan_Request_Received. A scanner that the advertising set answers has sent a scan request.
package struct LEScanRequestReceived: LEMetaEvent {
  package static let subevent = LESubevent.leScanRequestReceived

  /// The advertising set.
  package var advertisingHandle: UInt8 = 0
  /// The type of the scanner's address.
  package var scannerAddressType = AddressType(rawValue: 0)
  /// The scanner's address.
  package var scannerAddress: DeviceAddress = .zero

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Scanner_Address_Type", &scannerAddressType)
    try fields.address("Scanner_Address", &scannerAddress)
  }
}
