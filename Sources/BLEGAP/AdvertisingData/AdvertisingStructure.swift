// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The type of an AD structure (Bluetooth Assigned Numbers 2.3).
public struct AdvertisingStructureType: OpenCode {
  public var rawValue: UInt8
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let flags = AdvertisingStructureType(rawValue: 0x01)
  public static let incompleteServices16 = AdvertisingStructureType(rawValue: 0x02)
  public static let completeServices16 = AdvertisingStructureType(rawValue: 0x03)
  public static let incompleteServices32 = AdvertisingStructureType(rawValue: 0x04)
  public static let completeServices32 = AdvertisingStructureType(rawValue: 0x05)
  public static let incompleteServices128 = AdvertisingStructureType(rawValue: 0x06)
  public static let completeServices128 = AdvertisingStructureType(rawValue: 0x07)
  public static let shortenedLocalName = AdvertisingStructureType(rawValue: 0x08)
  public static let completeLocalName = AdvertisingStructureType(rawValue: 0x09)
  public static let transmitPowerLevel = AdvertisingStructureType(rawValue: 0x0A)
  public static let connectionIntervalRange = AdvertisingStructureType(rawValue: 0x12)
  public static let solicitation16 = AdvertisingStructureType(rawValue: 0x14)
  public static let solicitation128 = AdvertisingStructureType(rawValue: 0x15)
  public static let serviceData16 = AdvertisingStructureType(rawValue: 0x16)
  public static let appearance = AdvertisingStructureType(rawValue: 0x19)
  public static let solicitation32 = AdvertisingStructureType(rawValue: 0x1F)
  public static let serviceData32 = AdvertisingStructureType(rawValue: 0x20)
  public static let serviceData128 = AdvertisingStructureType(rawValue: 0x21)
  public static let manufacturerData = AdvertisingStructureType(rawValue: 0xFF)

  private static let names: [UInt8: String] = [
    0x01: "Flags", 0x02: "Incomplete 16-bit Service UUIDs", 0x03: "Complete 16-bit Service UUIDs",
    0x04: "Incomplete 32-bit Service UUIDs", 0x05: "Complete 32-bit Service UUIDs",
    0x06: "Incomplete 128-bit Service UUIDs", 0x07: "Complete 128-bit Service UUIDs", 0x08: "Shortened Local Name",
    0x09: "Complete Local Name", 0x0A: "Tx Power Level", 0x12: "Peripheral Connection Interval Range",
    0x14: "16-bit Service Solicitation UUIDs", 0x15: "128-bit Service Solicitation UUIDs",
    0x16: "Service Data - 16-bit UUID", 0x19: "Appearance", 0x1F: "32-bit Service Solicitation UUIDs",
    0x20: "Service Data - 32-bit UUID", 0x21: "Service Data - 128-bit UUID", 0xFF: "Manufacturer Specific Data",
  ]
}

extension AdvertisingStructureType: CustomStringConvertible {
  /// The type's name in the Assigned Numbers, or its number.
  public var description: String { Self.names[rawValue] ?? "AD type 0x\([rawValue].uppercaseHexadecimal)" }
}

/// The Flags AD structure (Core Specification Supplement Part A 1.3).
public struct AdvertisingFlags: OptionSet, Hashable, Sendable {
  public var rawValue: UInt8
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  public static let limitedDiscoverable = AdvertisingFlags(rawValue: 0x01)
  public static let generalDiscoverable = AdvertisingFlags(rawValue: 0x02)
  public static let bredrNotSupported = AdvertisingFlags(rawValue: 0x04)
  public static let simultaneousController = AdvertisingFlags(rawValue: 0x08)
}

/// One AD structure of advertising data (Core 5.4 Vol 3 Part C 11, Core Specification Supplement Part A 1).
public enum AdvertisingStructure: Hashable, Sendable {
  /// Discoverability, and that there is no BR/EDR (CSS Part A 1.3).
  case flags(AdvertisingFlags)
  /// Service UUIDs of one width (CSS Part A 1.1). `isComplete` says whether the list contains all of that width.
  case services([BluetoothUUID], width: UUIDWidth, isComplete: Bool)
  /// The device name, whole or shortened (CSS Part A 1.2).
  case localName(String, isComplete: Bool)
  /// The transmit power of the packet, in dBm (CSS Part A 1.5).
  case transmitPower(Int8)
  /// The connection interval the peripheral prefers, in units of 1.25 ms; 0xFFFF for no preference (CSS Part A 1.9).
  case connectionIntervals(minimum: UInt16, maximum: UInt16)
  /// Services that the peripheral expects in a central (CSS Part A 1.10).
  case solicitation([BluetoothUUID], width: UUIDWidth)
  /// Data of a service (CSS Part A 1.11).
  case serviceData(BluetoothUUID, width: UUIDWidth, data: [UInt8])
  /// The appearance of the accessory (CSS Part A 1.12).
  case appearance(Appearance)
  /// Data of a company (CSS Part A 1.4).
  case manufacturerData(company: UInt16, data: [UInt8])
  /// Any other structure, or one whose content does not fit its type.
  case raw(AdvertisingStructureType, [UInt8])

  /// The width of the UUIDs in a structure, in octets.
  public enum UUIDWidth: Int, Hashable, Sendable, CaseIterable {
    case bits16 = 2
    case bits32 = 4
    case bits128 = 16
  }

  /// The AD type.
  public var type: AdvertisingStructureType {
    switch self {
    case .flags: .flags
    case .services(_, .bits16, let isComplete): isComplete ? .completeServices16 : .incompleteServices16
    case .services(_, .bits32, let isComplete): isComplete ? .completeServices32 : .incompleteServices32
    case .services(_, .bits128, let isComplete): isComplete ? .completeServices128 : .incompleteServices128
    case .localName(_, let isComplete): isComplete ? .completeLocalName : .shortenedLocalName
    case .transmitPower: .transmitPowerLevel
    case .connectionIntervals: .connectionIntervalRange
    case .solicitation(_, .bits16): .solicitation16
    case .solicitation(_, .bits32): .solicitation32
    case .solicitation(_, .bits128): .solicitation128
    case .serviceData(_, .bits16, _): .serviceData16
    case .serviceData(_, .bits32, _): .serviceData32
    case .serviceData(_, .bits128, _): .serviceData128
    case .appearance: .appearance
    case .manufacturerData: .manufacturerData
    case .raw(let type, _): type
    }
  }

  /// The octets after the type.
  public var content: [UInt8] {
    switch self {
    case .flags(let flags): [flags.rawValue]
    case .services(let uuids, let width, _), .solicitation(let uuids, let width):
      uuids.flatMap { $0.littleEndianOctets(width) }
    case .localName(let name, _): Array(name.utf8)
    case .transmitPower(let power): [UInt8(bitPattern: power)]
    case .connectionIntervals(let minimum, let maximum): minimum.octets + maximum.octets
    case .serviceData(let uuid, let width, let data): uuid.littleEndianOctets(width) + data
    case .appearance(let appearance): appearance.rawValue.octets
    case .manufacturerData(let company, let data): company.octets + data
    case .raw(_, let data): data
    }
  }

  /// The number of octets of the structure, including its length and type octets.
  public var octetCount: Int { content.count + 2 }
}

extension UInt16 {
  /// The octets, least significant first.
  var octets: [UInt8] { [UInt8(truncatingIfNeeded: self), UInt8(truncatingIfNeeded: self >> 8)] }
}

extension BluetoothUUID {
  /// Returns the UUID's octets in this width, least significant first. The upper octets of a wider UUID are cut off.
  func littleEndianOctets(_ width: AdvertisingStructure.UUIDWidth) -> [UInt8] {
    switch width {
    case .bits128: fullLittleEndianOctets
    case .bits16, .bits32: Array(fullLittleEndianOctets[12...].prefix(width.rawValue))
    }
  }

  /// The narrowest width that holds the UUID.
  public var advertisingWidth: AdvertisingStructure.UUIDWidth {
    if short != nil { return .bits16 }
    let base = BluetoothUUID(0)
    return low == base.low && high & 0xFFFF_FFFF == base.high & 0xFFFF_FFFF ? .bits32 : .bits128
  }
}
