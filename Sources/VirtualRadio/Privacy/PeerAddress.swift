import BLECore
import BLEHCI

/// An address with which this controller names itself on the air.
struct OwnAddress: Hashable {
  /// Public, random or anonymous.
  var type: AddressType
  var address: DeviceAddress
  /// Whether the controller made it with a key of the resolving list.
  var isMade = false

  static let anonymous = OwnAddress(type: .anonymous, address: .zero)

  /// As connection events tell it: zero for any other than a resolvable private address that the controller made.
  var localResolvable: DeviceAddress { isMade ? address : .zero }
}

/// The device behind an address on the air, as the host is told of it.
struct PeerAddress: Hashable {
  /// With the identity types where the address was resolved (Core 5.4 Vol 4 Part E 7.7.65.10).
  var type: AddressType
  var address: DeviceAddress
  /// The address on the air, where it was resolved; else zero.
  var resolvable = DeviceAddress.zero

  var listed: ListedDevice { ListedDevice(type: type, address: address) }
}

/// To whom an advertisement is directed, as a scanner or initiator sees it.
enum AdvertisingTarget: Equatable {
  case everyone
  /// This device, under that address.
  case here(AddressType, DeviceAddress)
  /// A resolvable private address that may be this host's own.
  case unresolved
  case someoneElse
}

/// What a scanner makes of an advertisement that its filter lets pass.
struct HeardAdvertisement {
  var peer: PeerAddress
  var target: AdvertisingTarget
  /// The address with which the scanner would ask for the scan response.
  var own: OwnAddress
}
