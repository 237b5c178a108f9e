import BLECore

/// Whether a scanner sends scan requests (Core 5.4 Vol 4 Part E 7.8.10).
package struct ScanType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let passive = ScanType(rawValue: 0x00)
  package static let active = ScanType(rawValue: 0x01)
}

/// The advertisements that a scanner reports (Core 5.4 Vol 4 Part E 7.8.10).
package struct ScanFilterPolicy: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let all = ScanFilterPolicy(rawValue: 0x00)
  package static let listed = ScanFilterPolicy(rawValue: 0x01)
  /// All, and directed ones to a resolvable address that cannot be resolved.
  package static let allAndUnresolvedDirected = ScanFilterPolicy(rawValue: 0x02)
  /// Those on the list, and directed ones to a resolvable address that cannot be resolved.
  package static let listedAndUnresolvedDirected = ScanFilterPolicy(rawValue: 0x03)
}

/// The peers that an initiator connects to (Core 5.4 Vol 4 Part E 7.8.12).
package struct InitiatorFilterPolicy: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let peerAddress = InitiatorFilterPolicy(rawValue: 0x00)
  package static let filterAcceptList = InitiatorFilterPolicy(rawValue: 0x01)
}

/// One PHY's entry in LE_Set_Extended_Scan_Parameters (Core 5.4 Vol 4 Part E 7.8.64).
package struct ScanningPHYParameters: OctetLayout, Hashable {
  package var scanType = ScanType.passive
  package var interval = ScanInterval(rawValue: 0x0010)
  package var window = ScanInterval(rawValue: 0x0010)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Scan_Type", &scanType)
    try fields.code("Scan_Interval", &interval)
    try fields.code("Scan_Window", &window)
  }
}

/// One PHY's entry in LE_Extended_Create_Connection (Core 5.4 Vol 4 Part E 7.8.66).
package struct InitiatingPHYParameters: OctetLayout, Hashable {
  package var scanInterval = ScanInterval(rawValue: 0x0060)
  package var scanWindow = ScanInterval(rawValue: 0x0030)
  package var intervalMinimum = ConnectionInterval(rawValue: 24)
  package var intervalMaximum = ConnectionInterval(rawValue: 24)
  /// In connection events, 0...499.
  package var maximumLatency: UInt16 = 0
  package var supervisionTimeout = SupervisionTimeout(rawValue: 500)
  package var minimumEventLength = ConnectionEventLength(rawValue: 0)
  package var maximumEventLength = ConnectionEventLength(rawValue: 0)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Scan_Interval", &scanInterval)
    try fields.code("Scan_Window", &scanWindow)
    try fields.code("Connection_Interval_Min", &intervalMinimum)
    try fields.code("Connection_Interval_Max", &intervalMaximum)
    try fields.integer("Max_Latency", &maximumLatency)
    try fields.code("Supervision_Timeout", &supervisionTimeout)
    try fields.code("Min_CE_Length", &minimumEventLength)
    try fields.code("Max_CE_Length", &maximumEventLength)
  }
}
