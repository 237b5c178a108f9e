// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import BLECore

/// The id of an attribute of a service record (Core 5.4 Vol 3 Part B 5.1).
public struct AttributeID: OpenCode, Comparable {
  public var rawValue: UInt16
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  public static let serviceRecordHandle = AttributeID(rawValue: 0x0000)
  public static let serviceClassIDList = AttributeID(rawValue: 0x0001)
  public static let serviceRecordState = AttributeID(rawValue: 0x0002)
  public static let serviceID = AttributeID(rawValue: 0x0003)
  public static let protocolDescriptorList = AttributeID(rawValue: 0x0004)
  public static let browseGroupList = AttributeID(rawValue: 0x0005)
  public static let languageBaseAttributeIDList = AttributeID(rawValue: 0x0006)
  public static let serviceInfoTimeToLive = AttributeID(rawValue: 0x0007)
  public static let serviceAvailability = AttributeID(rawValue: 0x0008)
  public static let bluetoothProfileDescriptorList = AttributeID(rawValue: 0x0009)
  public static let documentationURL = AttributeID(rawValue: 0x000A)
  public static let clientExecutableURL = AttributeID(rawValue: 0x000B)
  public static let iconURL = AttributeID(rawValue: 0x000C)
  public static let additionalProtocolDescriptorLists = AttributeID(rawValue: 0x000D)

  /// The base of the attributes in the record's primary language. Their ids are this base and the offsets of `NameOffset`.
  public static let primaryLanguageBase = AttributeID(rawValue: 0x0100)

  /// The Service Discovery Server's attributes (Core 5.4 Vol 3 Part B 5.2.3).
  public static let versionNumberList = AttributeID(rawValue: 0x0200)
  public static let serviceDatabaseState = AttributeID(rawValue: 0x0201)
  /// A browse group descriptor's attribute (Core 5.4 Vol 3 Part B 5.3.2).
  public static let groupID = AttributeID(rawValue: 0x0200)
  /// The attributes of Device Identification (Device Identification 1.3, 5).
  public static let specificationID = AttributeID(rawValue: 0x0200)
  public static let vendorID = AttributeID(rawValue: 0x0201)
  public static let productID = AttributeID(rawValue: 0x0202)
  public static let version = AttributeID(rawValue: 0x0203)
  public static let primaryRecord = AttributeID(rawValue: 0x0204)
  public static let vendorIDSource = AttributeID(rawValue: 0x0205)

  public static func < (left: AttributeID, right: AttributeID) -> Bool { left.rawValue < right.rawValue }

  /// The offsets of names from the base of their language (Core 5.4 Vol 3 Part B 5.1.15 to 5.1.17).
  public enum NameOffset: UInt16, Hashable, Sendable, CaseIterable {
    case serviceName = 0x0000
    case serviceDescription = 0x0001
    case providerName = 0x0002
  }

  /// Returns the id of a name in the language with this base.
  public static func name(_ offset: NameOffset, base: AttributeID = .primaryLanguageBase) -> AttributeID {
    AttributeID(rawValue: base.rawValue &+ offset.rawValue)
  }

  private static let universalNames: [UInt16: String] = [
    0x0000: "ServiceRecordHandle", 0x0001: "ServiceClassIDList", 0x0002: "ServiceRecordState", 0x0003: "ServiceID",
    0x0004: "ProtocolDescriptorList", 0x0005: "BrowseGroupList", 0x0006: "LanguageBaseAttributeIDList",
    0x0007: "ServiceInfoTimeToLive", 0x0008: "ServiceAvailability", 0x0009: "BluetoothProfileDescriptorList",
    0x000A: "DocumentationURL", 0x000B: "ClientExecutableURL", 0x000C: "IconURL",
    0x000D: "AdditionalProtocolDescriptorLists", 0x0100: "ServiceName", 0x0101: "ServiceDescription",
    0x0102: "ProviderName",
  ]

  private static let serverNames: [UInt16: String] = [0x0200: "VersionNumberList", 0x0201: "ServiceDatabaseState"]
  private static let groupNames: [UInt16: String] = [0x0200: "GroupID"]
  private static let identificationNames: [UInt16: String] = [
    0x0200: "SpecificationID", 0x0201: "VendorID", 0x0202: "ProductID", 0x0203: "Version", 0x0204: "PrimaryRecord",
    0x0205: "VendorIDSource",
  ]

  /// The name of an attribute that any record may have; nil for one that depends on the service's class.
  public var name: String? { Self.universalNames[rawValue] }

  /// Returns the name of an attribute in the record of a service with one of these classes.
  public func name(in classes: [BluetoothUUID]) -> String? {
    if let name { return name }
    for serviceClass in classes {
      let names: [UInt16: String] =
        switch serviceClass {
        case .serviceDiscoveryServer: Self.serverNames
        case .browseGroupDescriptor: Self.groupNames
        case .pnpInformation: Self.identificationNames
        default: [:]
        }
      if let name = names[rawValue] { return name }
    }
    return nil
  }
}

extension AttributeID: CustomStringConvertible {
  /// The id with its name: `ServiceName (0x0100)`.
  public var description: String {
    name.map { "\($0) (\(rawValue.hexadecimalText))" } ?? "Attribute \(rawValue.hexadecimalText)"
  }
}
