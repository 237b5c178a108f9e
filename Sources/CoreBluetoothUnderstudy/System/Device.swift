import BLECore
import BLEHCI
import Foundation

/// A device that a phone has heard or connected to.
final class Device {
  let identifier: UUID
  /// The address that it last used.
  var address: DeviceAddress
  var addressType: AddressType
  /// The address in its bond; nil without a bond.
  var identity: TypedAddress?
  /// Whether the person lets it show notifications; nil if the person has not decided for this device.
  var sharesNotifications: Bool?
  /// The value of its Device Name; nil until it was read.
  var deviceName: String?
  var advertised = AdvertisedData()
  var attributes = DeviceAttributes()
  /// The managers that are connected to it or wait for a connection.
  var wanted: [ManagerID: AppConnection] = [:]
  var link: PhoneLink?
  /// The link over BR/EDR beside that over LE.
  var bridge: ConnectionHandle?
  /// The connections that apps asked for while the link was ending. They begin when it has ended.
  var next: [ManagerID: AppConnection] = [:]

  init(identifier: UUID, address: DeviceAddress, type: AddressType) {
    self.identifier = identifier
    self.address = address
    addressType = type
  }

  var name: String? { deviceName ?? advertised.name }
  var known: KnownDevice { KnownDevice(identifier: identifier, name: name) }

  /// Whether the last heard address stays the device's address.
  var hasLastingAddress: Bool { addressType != .random || address.isValidRandomStatic }
}
