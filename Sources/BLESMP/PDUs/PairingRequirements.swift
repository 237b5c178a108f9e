// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The requirements of a pairing: AuthReq (Core 5.4 Vol 3 Part H 3.5.1).
public struct PairingRequirements: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let bonding = PairingRequirements(rawValue: 0x01)
  public static let authentication = PairingRequirements(rawValue: 0x04)
  public static let secureConnections = PairingRequirements(rawValue: 0x08)
  public static let keypress = PairingRequirements(rawValue: 0x10)
  public static let h7 = PairingRequirements(rawValue: 0x20)
}

/// The action in a Keypress Notification (Core 5.4 Vol 3 Part H 3.5.8).
public struct Keypress: OpenCode {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let entryStarted = Keypress(rawValue: 0x00)
  public static let digitEntered = Keypress(rawValue: 0x01)
  public static let digitErased = Keypress(rawValue: 0x02)
  public static let cleared = Keypress(rawValue: 0x03)
  public static let entryCompleted = Keypress(rawValue: 0x04)
}
