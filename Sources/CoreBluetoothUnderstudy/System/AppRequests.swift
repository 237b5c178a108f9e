import BLECore
import Foundation

/// The number of a central manager on a phone.
struct ManagerID: Hashable, Comparable, Sendable {
  let rawValue: Int

  static func < (left: Self, right: Self) -> Bool { left.rawValue < right.rawValue }
}

/// A device as one manager sees it.
struct AppPeer: Hashable, Sendable {
  let manager: ManagerID
  let device: UUID
}

/// What an app can find out about a device without a callback.
struct KnownDevice: Hashable, Sendable {
  let identifier: UUID
  let name: String?
}

/// A device that is connected to a phone.
struct ConnectedDevice: Sendable {
  let device: KnownDevice
  let services: Set<BluetoothUUID>
}

/// A scan that an app asks for.
struct AppScan: Hashable, Sendable {
  let services: [BluetoothUUID]?
  let solicited: [BluetoothUUID]?
  let allowsDuplicates: Bool

  /// Returns whether an advertiser has one of the services. A scan without services accepts all advertisers.
  func accepts(_ advertised: AdvertisedData) -> Bool {
    let (services, solicited) = (services ?? [], solicited ?? [])
    guard !services.isEmpty || !solicited.isEmpty else { return true }
    return advertised.services.contains(where: services.contains)
      || advertised.solicited.contains(where: solicited.contains)
  }
}

/// A connection that an app asks for.
struct AppConnection: Hashable, Sendable {
  let alertsToConnection: Bool
  let alertsToDisconnection: Bool
  let alertsToNotifications: Bool
  let startDelay: Duration
  let requiresNotificationCenter: Bool
  let reconnects: Bool
  let bridges: Bool
  /// Whether `startDelay` is over.
  var isDue = true

  init(_ options: [String: Any]) {
    alertsToConnection = options.flag(CBConnectPeripheralOptionNotifyOnConnectionKey)
    alertsToDisconnection = options.flag(CBConnectPeripheralOptionNotifyOnDisconnectionKey)
    alertsToNotifications = options.flag(CBConnectPeripheralOptionNotifyOnNotificationKey)
    requiresNotificationCenter = options.flag(CBConnectPeripheralOptionRequiresANCS)
    reconnects = options.flag(CBConnectPeripheralOptionEnableAutoReconnect)
    bridges = options.flag(CBConnectPeripheralOptionEnableTransportBridgingKey)
    let seconds = (options[CBConnectPeripheralOptionStartDelayKey] as? NSNumber)?.doubleValue ?? 0
    startDelay = .seconds(max(0, seconds))
  }
}

/// The connection events that an app asks for.
struct AppConnectionEvents: Hashable, Sendable {
  let services: [BluetoothUUID]?
  let devices: [UUID]?
}
