import BLECore
import BLEHCI

/// An address that this controller uses on the air.
struct OwnAddress: Hashable {
  /// Public, random or anonymous.
  var type: AddressType
  var address: DeviceAddress
  /// Whether the controller generated it with a key of the resolving list.
  var isMade = false

  static let anonymous = OwnAddress(type: .anonymous, address: .zero)

  /// The value in connection events: zero unless it is a resolvable private address that the controller generated.
  var localResolvable: DeviceAddress { isMade ? address : .zero }
}

/// The device behind an address on the air, as reported to the host.
struct ReportedPeer: Hashable {
  /// An identity type if the address was resolved (Core 5.4 Vol 4 Part E 7.7.65.10).
  var type: AddressType
  var address: DeviceAddress
  /// The address on the air if it was resolved; else zero.
  var resolvable = DeviceAddress.zero

  var listed: ListedDevice { ListedDevice(type: type, address: address) }
}

/// The target of an advertisement, as a scanner or initiator sees it.
enum AdvertisingTarget: Equatable {
  case everyone
  /// This device, under this address.
  case here(AddressType, DeviceAddress)
  /// A resolvable private address that may be this host's own.
  case unresolved
  case someoneElse
}

/// An advertisement that has passed the scanner's filter.
struct HeardAdvertisement {
  var peer: ReportedPeer
  var target: AdvertisingTarget
  /// The address that the scanner would use for a scan request.
  var own: OwnAddress
}
