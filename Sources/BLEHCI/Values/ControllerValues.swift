// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// A version of the Core Specification (Assigned Numbers 2.1).
public struct CoreVersion: OpenCode, Comparable, CustomStringConvertible {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let v4_0 = CoreVersion(rawValue: 0x06)
  public static let v4_1 = CoreVersion(rawValue: 0x07)
  public static let v4_2 = CoreVersion(rawValue: 0x08)
  public static let v5_0 = CoreVersion(rawValue: 0x09)
  public static let v5_1 = CoreVersion(rawValue: 0x0A)
  public static let v5_2 = CoreVersion(rawValue: 0x0B)
  public static let v5_3 = CoreVersion(rawValue: 0x0C)
  public static let v5_4 = CoreVersion(rawValue: 0x0D)
  public static let v6_0 = CoreVersion(rawValue: 0x0E)

  @inlinable
  public static func < (left: CoreVersion, right: CoreVersion) -> Bool { left.rawValue < right.rawValue }

  private static let names: [UInt8: String] = [
    0x06: "4.0", 0x07: "4.1", 0x08: "4.2", 0x09: "5.0", 0x0A: "5.1", 0x0B: "5.2", 0x0C: "5.3", 0x0D: "5.4", 0x0E: "6.0",
  ]

  /// The version in its usual form, for example `5.4`.
  public var description: String { Self.names[rawValue] ?? "0x\([rawValue].uppercaseHexadecimal)" }
}

/// The manufacturer of a controller: a company identifier (Assigned Numbers 7.1).
public struct ControllerManufacturer: OpenCode, CustomStringConvertible {
  public var rawValue: UInt16
  @inlinable
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The number for no company.
  public static let none = ControllerManufacturer(rawValue: 0xFFFF)
  /// Nordic Semiconductor ASA.
  public static let nordic = ControllerManufacturer(rawValue: 0x0059)
  /// The Linux Foundation, which the Zephyr project's controller reports.
  public static let zephyr = ControllerManufacturer(rawValue: 0x05F1)
  /// The Apache Software Foundation, which the NimBLE controller reports.
  public static let nimble = ControllerManufacturer(rawValue: 0x060F)
  /// Google, the maker of RootCanal.
  public static let google = ControllerManufacturer(rawValue: 0x00E0)

  private static let names: [UInt16: String] = [
    0x0059: "Nordic Semiconductor ASA", 0x00E0: "Google", 0x05F1: "The Linux Foundation",
    0x060F: "The Apache Software Foundation",
  ]

  /// The company, if it is one of the few known here, and the number.
  public var description: String {
    let digits = [UInt8(rawValue >> 8), UInt8(truncatingIfNeeded: rawValue)].uppercaseHexadecimal
    return Self.names[rawValue].map { "\($0) (0x\(digits))" } ?? "0x\(digits)"
  }
}

/// The types of controller data that are subject to flow control (Core 5.4 Vol 4 Part E 7.3.38).
package struct ControllerToHostFlowControl: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let off = ControllerToHostFlowControl(rawValue: 0x00)
  package static let acl = ControllerToHostFlowControl(rawValue: 0x01)
  package static let synchronous = ControllerToHostFlowControl(rawValue: 0x02)
  package static let both = ControllerToHostFlowControl(rawValue: 0x03)
}

/// Whether a peer on the resolving list may also use its identity address (Core 5.4 Vol 4 Part E 7.8.77).
package struct PrivacyMode: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let network = PrivacyMode(rawValue: 0x00)
  package static let device = PrivacyMode(rawValue: 0x01)
}

/// The object of Zephyr's transmit power commands (Zephyr hci_vs.h).
package struct ZephyrTxPowerHandleType: OpenCode {
  package var rawValue: UInt8
  @inlinable
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  package static let advertising = ZephyrTxPowerHandleType(rawValue: 0x00)
  package static let scanning = ZephyrTxPowerHandleType(rawValue: 0x01)
  package static let connection = ZephyrTxPowerHandleType(rawValue: 0x02)
}

/// A random static address that a chip has from the factory, with the root of its keys (Zephyr hci_vs.h).
package struct ZephyrStaticAddress: OctetLayout, Hashable {
  /// The address.
  package var address = DeviceAddress.zero
  /// The identity root: 16 octets.
  package var identityRoot: [UInt8] = Array(repeating: 0, count: 16)

  package init() {}

  package mutating func visit<V: FieldVisitor & ~Copyable>(_ fields: inout V) throws(LayoutFault) {
    try fields.address("Static_Address", &address)
    try fields.octets("Identity_Root", &identityRoot, count: 16)
  }
}
