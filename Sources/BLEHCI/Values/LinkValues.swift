// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The role of this side on a link (Core 5.4 Vol 4 Part E 7.7.65.1).
public struct LinkRole: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let central = LinkRole(rawValue: 0x00)
  public static let peripheral = LinkRole(rawValue: 0x01)
}

/// The accuracy of the central's sleep clock (Core 5.4 Vol 4 Part E 7.7.65.1).
package struct ClockAccuracy: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let ppm500 = ClockAccuracy(rawValue: 0x00)
  package static let ppm250 = ClockAccuracy(rawValue: 0x01)
  package static let ppm150 = ClockAccuracy(rawValue: 0x02)
  package static let ppm100 = ClockAccuracy(rawValue: 0x03)
  package static let ppm75 = ClockAccuracy(rawValue: 0x04)
  package static let ppm50 = ClockAccuracy(rawValue: 0x05)
  package static let ppm30 = ClockAccuracy(rawValue: 0x06)
  package static let ppm20 = ClockAccuracy(rawValue: 0x07)
}

/// A set of physical layers (Core 5.4 Vol 4 Part E 7.8.48).
public struct PHYSet: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let le1M = PHYSet(rawValue: 1 << 0)
  public static let le2M = PHYSet(rawValue: 1 << 1)
  public static let leCoded = PHYSet(rawValue: 1 << 2)

  /// Creates the set of only this PHY, or of LE 1M for an unassigned one.
  public init(_ phy: PHY) {
    switch phy {
    case .le2M: self = .le2M
    case .leCoded: self = .leCoded
    default: self = .le1M
    }
  }

  /// The number of parameter entries that follow a set of PHYs in a command: one per defined PHY.
  @inlinable
  public var parameterCount: Int { (rawValue & 0b111).nonzeroBitCount }
}

/// The directions in which the host leaves the choice of the PHY to the controller (Core 5.4 Vol 4 Part E 7.8.48).
package struct PHYPreference: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let noTxPreference = PHYPreference(rawValue: 1 << 0)
  package static let noRxPreference = PHYPreference(rawValue: 1 << 1)
}

/// The 37 data channels, bit 0 for channel 0 (Core 5.4 Vol 4 Part E 7.8.19). Five octets.
package struct ChannelMap: OctetLayout, Hashable {
  /// One bit per channel.
  package var bits: UInt64 = ChannelMap.allBits

  private static let allBits: UInt64 = 0x1F_FFFF_FFFF

  /// Creates the map of all 37 data channels.
  package init() {}

  /// Creates the channels whose bits are set. Ignores bits above 36.
  package init(bits: UInt64) { self.bits = bits & Self.allBits }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    var octets = (0..<5).map { UInt8(truncatingIfNeeded: bits >> (8 * UInt64($0))) }
    try fields.octets("Channel_Map", &octets, count: 5)
    bits = octets.reversed().reduce(0) { $0 << 8 | UInt64($1) }
  }
}

/// The encryption of a link (Core 5.4 Vol 4 Part E 7.7.8).
package struct EncryptionState: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let off = EncryptionState(rawValue: 0x00)
  /// On: AES-CCM on LE, E0 on BR/EDR.
  package static let on = EncryptionState(rawValue: 0x01)
  /// On, with AES-CCM on BR/EDR.
  package static let onWithAESCCM = EncryptionState(rawValue: 0x02)
}

/// The entry of one connection in Host_Number_Of_Completed_Packets and Number_Of_Completed_Packets.
package struct CompletedPackets: OctetLayout, Hashable {
  /// The connection.
  package var connectionHandle = ConnectionHandle.zero
  /// The number of packets completed since the last report.
  package var count: UInt16 = 0

  package init() {}

  /// Creates the entry for this many packets of a connection.
  package init(_ connectionHandle: ConnectionHandle, count: UInt16) {
    self.connectionHandle = connectionHandle
    self.count = count
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.code("Connection_Handle", &connectionHandle)
    try fields.integer("Num_Completed_Packets", &count)
  }
}
