// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The address that this side uses (Core 5.4 Vol 4 Part E 7.8.5).
public struct OwnAddressType: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let publicDevice = OwnAddressType(rawValue: 0x00)
  public static let random = OwnAddressType(rawValue: 0x01)
  /// A resolvable private address made by the controller, or else the public one.
  public static let resolvableOrPublic = OwnAddressType(rawValue: 0x02)
  /// A resolvable private address made by the controller, or else the random one.
  public static let resolvableOrRandom = OwnAddressType(rawValue: 0x03)
}

/// The kind of legacy advertising (Core 5.4 Vol 4 Part E 7.8.5).
package struct AdvertisingType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// ADV_IND: connectable and scannable.
  package static let connectableScannable = AdvertisingType(rawValue: 0x00)
  /// ADV_DIRECT_IND at a high duty cycle.
  package static let directedHighDuty = AdvertisingType(rawValue: 0x01)
  /// ADV_SCAN_IND: scannable.
  package static let scannable = AdvertisingType(rawValue: 0x02)
  /// ADV_NONCONN_IND: neither.
  package static let nonConnectable = AdvertisingType(rawValue: 0x03)
  /// ADV_DIRECT_IND at a low duty cycle.
  package static let directedLowDuty = AdvertisingType(rawValue: 0x04)
}

/// The primary advertising channels (Core 5.4 Vol 4 Part E 7.8.5).
package struct AdvertisingChannelMap: OptionSet, Hashable, Sendable {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let channel37 = AdvertisingChannelMap(rawValue: 1 << 0)
  package static let channel38 = AdvertisingChannelMap(rawValue: 1 << 1)
  package static let channel39 = AdvertisingChannelMap(rawValue: 1 << 2)
  package static let all: AdvertisingChannelMap = [.channel37, .channel38, .channel39]
}

/// Whose requests an advertiser answers (Core 5.4 Vol 4 Part E 7.8.5).
package struct AdvertisingFilterPolicy: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let all = AdvertisingFilterPolicy(rawValue: 0x00)
  package static let listedScanners = AdvertisingFilterPolicy(rawValue: 0x01)
  package static let listedInitiators = AdvertisingFilterPolicy(rawValue: 0x02)
  package static let listedBoth = AdvertisingFilterPolicy(rawValue: 0x03)
}

/// What an advertising set sends (Core 5.4 Vol 4 Part E 7.8.53).
package struct AdvertisingEventProperties: OptionSet, Hashable, Sendable {
  package var rawValue: UInt16
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let connectable = AdvertisingEventProperties(rawValue: 1 << 0)
  package static let scannable = AdvertisingEventProperties(rawValue: 1 << 1)
  package static let directed = AdvertisingEventProperties(rawValue: 1 << 2)
  package static let highDutyDirected = AdvertisingEventProperties(rawValue: 1 << 3)
  /// Legacy PDUs instead of extended ones.
  package static let legacy = AdvertisingEventProperties(rawValue: 1 << 4)
  /// Without the advertiser's address.
  package static let anonymous = AdvertisingEventProperties(rawValue: 1 << 5)
  package static let includeTxPower = AdvertisingEventProperties(rawValue: 1 << 6)

  /// ADV_IND.
  package static let legacyConnectableScannable: AdvertisingEventProperties = [.legacy, .connectable, .scannable]
  /// ADV_SCAN_IND.
  package static let legacyScannable: AdvertisingEventProperties = [.legacy, .scannable]
  /// ADV_NONCONN_IND.
  package static let legacyNonConnectable: AdvertisingEventProperties = [.legacy]
}

/// Which part of a set's data a command carries (Core 5.4 Vol 4 Part E 7.8.54).
package struct AdvertisingDataOperation: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let intermediate = AdvertisingDataOperation(rawValue: 0x00)
  package static let first = AdvertisingDataOperation(rawValue: 0x01)
  package static let last = AdvertisingDataOperation(rawValue: 0x02)
  package static let complete = AdvertisingDataOperation(rawValue: 0x03)
  /// The same data as before with a new identifier.
  package static let unchanged = AdvertisingDataOperation(rawValue: 0x04)
}

/// Whether the controller may split advertising data (Core 5.4 Vol 4 Part E 7.8.54).
package struct FragmentPreference: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let mayFragment = FragmentPreference(rawValue: 0x00)
  package static let shouldNotFragment = FragmentPreference(rawValue: 0x01)
}

/// One set in LE_Set_Extended_Advertising_Enable (Core 5.4 Vol 4 Part E 7.8.56).
package struct AdvertisingSetActivation: OctetLayout, Hashable {
  /// The advertising set.
  package var advertisingHandle: UInt8 = 0
  /// How long it stays on; zero is without end.
  package var duration = AdvertisingDuration(rawValue: 0)
  /// After how many advertising events it stops; zero is without end.
  package var maximumEvents: UInt8 = 0

  package init() {}

  /// A set that stays on for that long and that many events; zero is without end.
  package init(
    advertisingHandle: UInt8, duration: AdvertisingDuration = AdvertisingDuration(rawValue: 0), maximumEvents: UInt8 = 0
  ) {
    self.advertisingHandle = advertisingHandle
    self.duration = duration
    self.maximumEvents = maximumEvents
  }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Advertising_Handle", &advertisingHandle)
    try fields.code("Duration", &duration)
    try fields.integer("Max_Extended_Advertising_Events", &maximumEvents)
  }
}

/// The data parameter of legacy advertising and scan response commands: a length and always 31 octets, the rest of them
/// zeros (Core 5.4 Vol 4 Part E 7.8.7).
package struct LegacyAdvertisingData: OctetLayout, Hashable {
  /// How many of the octets are meant, as on the wire: more than 31 is the sender's mistake.
  package var length: UInt8 = 0
  /// All 31 octets.
  package var octets: [UInt8] = Array(repeating: 0, count: 31)

  /// No data.
  package init() {}

  /// That data, filled up with zeros; nil when it is longer than 31 octets.
  package init?(_ data: [UInt8]) {
    guard data.count <= 31 else { return nil }
    length = UInt8(data.count)
    octets = data + Array(repeating: 0, count: 31 - data.count)
  }

  /// The octets that are meant; nil when `length` says more than there are.
  package var significant: [UInt8]? { length <= 31 ? Array(octets.prefix(Int(length))) : nil }

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.integer("Data_Length", &length)
    try fields.octets("Data", &octets, count: 31)
  }
}
