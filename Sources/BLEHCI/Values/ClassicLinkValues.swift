import BLECore

/// The packets that a connection of BR/EDR may use (Core 5.4 Vol 4 Part E 7.1.5). The bits of the enhanced rate exclude packets.
package struct PacketTypes: OptionSet, OpenCode {
  package var rawValue: UInt16
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let no2DH1 = PacketTypes(rawValue: 1 << 1)
  package static let no3DH1 = PacketTypes(rawValue: 1 << 2)
  package static let dm1 = PacketTypes(rawValue: 1 << 3)
  package static let dh1 = PacketTypes(rawValue: 1 << 4)
  package static let no2DH3 = PacketTypes(rawValue: 1 << 8)
  package static let no3DH3 = PacketTypes(rawValue: 1 << 9)
  package static let dm3 = PacketTypes(rawValue: 1 << 10)
  package static let dh3 = PacketTypes(rawValue: 1 << 11)
  package static let no2DH5 = PacketTypes(rawValue: 1 << 12)
  package static let no3DH5 = PacketTypes(rawValue: 1 << 13)
  package static let dm5 = PacketTypes(rawValue: 1 << 14)
  package static let dh5 = PacketTypes(rawValue: 1 << 15)

  /// All packets of the basic rate, and those of the enhanced rate.
  package static let basicRate: PacketTypes = [.dm1, .dh1, .dm3, .dh3, .dm5, .dh5]

  private static let names: [String?] = [
    nil, "no 2-DH1", "no 3-DH1", "DM1", "DH1", nil, nil, nil, "no 2-DH3", "no 3-DH3", "DM3", "DH3", "no 2-DH5",
    "no 3-DH5", "DM5", "DH5",
  ]

  package var meaning: String? { meaning(ofBits: Self.names) }
}

/// The packets that a synchronous connection may use (Core 5.4 Vol 4 Part E 7.1.26). The bits of the enhanced rate exclude packets.
package struct SynchronousPacketTypes: OptionSet, OpenCode {
  package var rawValue: UInt16
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let hv1 = SynchronousPacketTypes(rawValue: 1 << 0)
  package static let hv2 = SynchronousPacketTypes(rawValue: 1 << 1)
  package static let hv3 = SynchronousPacketTypes(rawValue: 1 << 2)
  package static let ev3 = SynchronousPacketTypes(rawValue: 1 << 3)
  package static let ev4 = SynchronousPacketTypes(rawValue: 1 << 4)
  package static let ev5 = SynchronousPacketTypes(rawValue: 1 << 5)
  package static let no2EV3 = SynchronousPacketTypes(rawValue: 1 << 6)
  package static let no3EV3 = SynchronousPacketTypes(rawValue: 1 << 7)
  package static let no2EV5 = SynchronousPacketTypes(rawValue: 1 << 8)
  package static let no3EV5 = SynchronousPacketTypes(rawValue: 1 << 9)

  private static let names: [String?] = [
    "HV1", "HV2", "HV3", "EV3", "EV4", "EV5", "no 2-EV3", "no 3-EV3", "no 2-EV5", "no 3-EV5",
  ]

  package var meaning: String? { meaning(ofBits: Self.names) }
}

/// The kind of a connection of BR/EDR (Core 5.4 Vol 4 Part E 7.7.3).
package struct BasebandLinkType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let sco = BasebandLinkType(rawValue: 0x00)
  package static let acl = BasebandLinkType(rawValue: 0x01)
  package static let esco = BasebandLinkType(rawValue: 0x02)

  private static let names: [UInt8: String] = [0: "SCO", 1: "ACL", 2: "eSCO"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// The mode of a connection (Core 5.4 Vol 4 Part E 7.7.20).
package struct LinkMode: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let active = LinkMode(rawValue: 0x00)
  package static let hold = LinkMode(rawValue: 0x01)
  package static let sniff = LinkMode(rawValue: 0x02)

  private static let names: [UInt8: String] = [0: "Active", 1: "Hold", 2: "Sniff"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// What a controller may do with a connection (Core 5.4 Vol 4 Part E 7.2.10).
package struct LinkPolicySettings: OptionSet, OpenCode {
  package var rawValue: UInt16
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  package static let roleSwitch = LinkPolicySettings(rawValue: 1 << 0)
  package static let hold = LinkPolicySettings(rawValue: 1 << 1)
  package static let sniff = LinkPolicySettings(rawValue: 1 << 2)

  private static let names: [String?] = ["Role Switch", "Hold Mode", "Sniff Mode"]

  package var meaning: String? { meaning(ofBits: Self.names) }
}

/// The coding of a synchronous connection on the air (Core 5.4 Vol 4 Part E 7.7.35).
package struct AirMode: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let muLaw = AirMode(rawValue: 0x00)
  package static let aLaw = AirMode(rawValue: 0x01)
  package static let cvsd = AirMode(rawValue: 0x02)
  package static let transparent = AirMode(rawValue: 0x03)

  private static let names: [UInt8: String] = [0: "\u{B5}-law", 1: "A-law", 2: "CVSD", 3: "Transparent"]

  package var meaning: String? { meaning(in: Self.names) }
}

/// Whether packets of a synchronous connection are sent again (Core 5.4 Vol 4 Part E 7.1.26).
package struct RetransmissionEffort: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let none = RetransmissionEffort(rawValue: 0x00)
  package static let power = RetransmissionEffort(rawValue: 0x01)
  package static let quality = RetransmissionEffort(rawValue: 0x02)
  package static let any = RetransmissionEffort(rawValue: 0xFF)

  private static let names: [UInt8: String] = [
    0: "None", 1: "Optimized for Power", 2: "Optimized for Quality", 255: "Don't Care",
  ]

  package var meaning: String? { meaning(in: Self.names) }
}

/// The coding of voice between host and controller, and on the air (Core 5.4 Vol 4 Part E 6.12).
package struct VoiceSetting: OpenCode {
  package var rawValue: UInt16
  @inlinable
  package init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The coding on the air.
  package var airMode: AirMode { AirMode(rawValue: UInt8(rawValue & 0b11)) }
}

/// A page of 64 LMP features, whose meaning depends on the page (Core 5.4 Vol 2 Part C 3.3).
package struct LMPFeaturePage: OpenCode {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  /// The features as page 0.
  package var pageZero: LMPFeatures { LMPFeatures(rawValue: rawValue) }
  /// The features as page 1.
  package var host: LMPHostFeatures { LMPHostFeatures(rawValue: rawValue) }
}

/// The LMP features, page 1: those of the host (Core 5.4 Vol 2 Part C 3.3).
package struct LMPHostFeatures: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let secureSimplePairing = LMPHostFeatures(rawValue: 1 << 0)
  package static let leSupported = LMPHostFeatures(rawValue: 1 << 1)
  package static let secureConnections = LMPHostFeatures(rawValue: 1 << 3)
}

/// The LMP features, page 2 (Core 5.4 Vol 2 Part C 3.3).
package struct LMPSecondFeatures: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let secureConnections = LMPSecondFeatures(rawValue: 1 << 8)
  package static let ping = LMPSecondFeatures(rawValue: 1 << 9)
}
