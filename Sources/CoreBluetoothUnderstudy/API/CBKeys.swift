// Apple's names need no comment of ours.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation

// Apple's constants have the same values.

/// Whether to show an alert if Bluetooth is off when the manager is created: a Bool.
public let CBCentralManagerOptionShowPowerAlertKey = "kCBInitOptionShowPowerAlert"
/// The identifier under which the system preserves the manager's state: a string.
public let CBCentralManagerOptionRestoreIdentifierKey = "kCBInitOptionRestoreIdentifier"
/// The device access of the app, for extensions of AccessorySetupKit.
public let CBCentralManagerOptionDeviceAccessForMedia = "kCBInitOptionDeviceAccessForMedia"

/// Whether to report each advertisement and not only the first of each peripheral: a Bool.
public let CBCentralManagerScanOptionAllowDuplicatesKey = "kCBScanOptionAllowDuplicates"
/// The services that peripherals must solicit: an array of `CBUUID`.
public let CBCentralManagerScanOptionSolicitedServiceUUIDsKey = "kCBScanOptionSolicitedServiceUUIDs"

/// Whether to alert the person to the connection while the app is suspended: a Bool.
public let CBConnectPeripheralOptionNotifyOnConnectionKey = "kCBConnectOptionNotifyOnConnection"
/// Whether to alert the person to the end of the connection while the app is suspended: a Bool.
public let CBConnectPeripheralOptionNotifyOnDisconnectionKey = "kCBConnectOptionNotifyOnDisconnection"
/// Whether to alert the person to notifications while the app is suspended: a Bool.
public let CBConnectPeripheralOptionNotifyOnNotificationKey = "kCBConnectOptionNotifyOnNotification"
/// The delay before the connection is made: a number of seconds.
public let CBConnectPeripheralOptionStartDelayKey = "kCBConnectOptionStartDelay"
/// Whether to connect over BR/EDR as well: a Bool. It has an effect if the phone uses BR/EDR, and the
/// accessory is bonded over both transports.
public let CBConnectPeripheralOptionEnableTransportBridgingKey = "kCBConnectOptionEnableTransportBridging"
/// Whether the peripheral needs the Apple Notification Center Service: a Bool.
public let CBConnectPeripheralOptionRequiresANCS = "kCBConnectOptionRequiresANCS"
/// Whether the system connects again when the connection is lost: a Bool.
public let CBConnectPeripheralOptionEnableAutoReconnect = "kCBConnectOptionEnableAutoReconnect"

/// The local name: a string.
public let CBAdvertisementDataLocalNameKey = "kCBAdvDataLocalName"
/// The transmit power in dBm: a number.
public let CBAdvertisementDataTxPowerLevelKey = "kCBAdvDataTxPowerLevel"
/// The services: an array of `CBUUID`.
public let CBAdvertisementDataServiceUUIDsKey = "kCBAdvDataServiceUUIDs"
/// The service data: a dictionary from `CBUUID` to data.
public let CBAdvertisementDataServiceDataKey = "kCBAdvDataServiceData"
/// The company identifier, least significant octet first, and the company's data.
public let CBAdvertisementDataManufacturerDataKey = "kCBAdvDataManufacturerData"
/// The services in the overflow area: an array of `CBUUID`.
public let CBAdvertisementDataOverflowServiceUUIDsKey = "kCBAdvDataHashedServiceUUIDs"
/// Whether the peripheral is connectable: a Bool.
public let CBAdvertisementDataIsConnectable = "kCBAdvDataIsConnectable"
/// The solicited services: an array of `CBUUID`.
public let CBAdvertisementDataSolicitedServiceUUIDsKey = "kCBAdvDataSolicitedServiceUUIDs"

/// The restored peripherals: an array of `CBPeripheral`.
public let CBCentralManagerRestoredStatePeripheralsKey = "kCBRestoredPeripherals"
/// The services of the restored scan: an array of `CBUUID`.
public let CBCentralManagerRestoredStateScanServicesKey = "kCBRestoredScanServices"
/// The options of the restored scan: a dictionary.
public let CBCentralManagerRestoredStateScanOptionsKey = "kCBRestoredScanOptions"

/// What happened to a device that matches `registerForConnectionEvents`.
public enum CBConnectionEvent: Int, Sendable {
  case peerDisconnected = 0
  case peerConnected = 1
}

/// The devices whose connection events an app asks for.
public struct CBConnectionEventMatchingOption: Hashable, Sendable, RawRepresentable {
  public let rawValue: String
  public init(rawValue: String) { self.rawValue = rawValue }

  /// Devices with these services: an array of `CBUUID`.
  public static let serviceUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionServiceUUIDs")
  /// These devices: an array of `UUID`.
  public static let peripheralUUIDs = CBConnectionEventMatchingOption(
    rawValue: "kCBConnectionEventMatchingOptionPeripheralUUIDs")
}

extension [String: Any] {
  /// Returns a Boolean option; false if it is missing.
  func flag(_ key: String) -> Bool { (self[key] as? NSNumber)?.boolValue ?? (self[key] as? Bool) ?? false }

  /// Returns the UUIDs of an option; nil if it is missing.
  func uuids(_ key: String) -> [CBUUID]? { self[key] as? [CBUUID] }
}
