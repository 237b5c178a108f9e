import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP
import Foundation

/// A device that a phone has heard or connected to.
final class Device {
  let identifier: UUID
  /// The address at which it was last heard.
  var address: DeviceAddress
  var addressType: AddressType
  /// The address in its bond; nil without a bond.
  var identity: PeerIdentity?
  /// Whether the person lets it show notifications; nil if the person has not decided for this one.
  var sharesNotifications: Bool?
  /// The value of its Device Name; nil before it was read.
  var deviceName: String?
  var advertised = AdvertisedData()
  var attributes = DeviceAttributes()
  /// The managers that are connected, or wait for a connection.
  var wanted: [ManagerID: AppConnection] = [:]
  var link: PhoneLink?
  /// The connections that were asked for while the link was ending: they begin after it.
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

/// A link of a phone.
final class PhoneLink {
  let handle: ConnectionHandle
  unowned let device: Device
  /// Whether the managers that wait for it have been told.
  var isAnnounced = false
  /// The connected managers.
  var users: Set<ManagerID> = []
  /// The managers that get the values of a characteristic, by value handle.
  var subscribers: [UInt16: Set<ManagerID>] = [:]
  /// The managers whose subscription the device has not confirmed. They get values as well: a server may send one as soon as it has the
  /// request, before its response (Core 5.4 Vol 3 Part F 3.4.7.1).
  var subscribing: [UInt16: Set<ManagerID>] = [:]
  /// The value handle of Service Changed when it was last received: the service that it belongs to may have changed with it.
  var serviceChanged: UInt16?
  /// Whether the services are being discovered, whether they have changed since that began, and who waits for them.
  var isDiscovering = false
  var haveServicesChanged = false
  var waiting: [(Result<[RemoteService], GATTFailure>) -> Void] = []
  /// What waits for room: writes without response, and the operations that apps began after them.
  var unsent: [Unsent] = []
  var channels: [ChannelID: ChannelPipe] = [:]
  /// The channels being opened: who wants them, and whether the link's security was raised for that.
  var openings: [ChannelID: ChannelOpening] = [:]
  /// The channels that wait for a secure link.
  var securedOpenings: [ChannelOpening] = []
  /// Whether it may use the phone's Notification Center.
  var showsNotifications = false
  /// Whether the person was asked on this link.
  var hasAskedForNotifications = false
  /// The reason why this side ends it; nil if it does not.
  var end: LinkEnd?

  init(_ handle: ConnectionHandle, to device: Device) {
    self.handle = handle
    self.device = device
  }
}

/// What a link sends when there is room.
enum Unsent {
  /// A write without response.
  case command(AppPeer, handle: UInt16, value: [UInt8])
  case operation(GATTOperation, then: (GATTOutcome) -> Void)
}

/// A request of an app for a channel.
struct ChannelOpening {
  let peer: AppPeer
  let psm: UInt16
  var hasRaisedSecurity = false
}

/// The reason why a phone ends a link.
enum LinkEnd: Hashable {
  /// No app needs it any longer.
  case unused
  /// The person has removed the bond.
  case forgotten
  /// The peer has lost its key.
  case peerRemovedPairing
}

/// The data of an advertiser, of both kinds of packets.
struct AdvertisedData: Hashable, Sendable {
  var advertisement: Advertisement?
  var scanResponse: Advertisement?

  /// All structures, those of the advertisement first.
  var structures: [AdvertisingStructure] {
    (advertisement?.data.structures ?? []) + (scanResponse?.data.structures ?? [])
  }

  var name: String? {
    var shortened: String?
    for case .localName(let name, let isComplete) in structures {
      if isComplete { return name }
      shortened = shortened ?? name
    }
    return shortened
  }

  var services: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .services(let uuids, _, _) = structure { uuids } else { [] }
    }
  }

  var solicited: [BluetoothUUID] {
    structures.flatMap { structure -> [BluetoothUUID] in
      if case .solicitation(let uuids, _) = structure { uuids } else { [] }
    }
  }

  /// Returns which of these services have their bit set in the overflow area, where a phone in the background advertises: manufacturer data of
  /// Apple of type 0x01 with 128 bits. Bit n is bit n % 8 of octet n / 8.
  func overflowServices(_ services: [BluetoothUUID], bits: [CBUUID: Int]) -> [CBUUID] {
    let areas = structures.compactMap { structure -> [UInt8]? in
      guard case .manufacturerData(0x004C, let data) = structure, data.count == 17, data.first == 0x01 else {
        return nil
      }
      return Array(data.dropFirst())
    }
    return services.map { CBUUID($0) }.filter { service in
      guard let bit = bits[service], 0..<128 ~= bit else { return false }
      return areas.contains { $0[bit / 8] & 1 << (bit % 8) != 0 }
    }
  }

  /// Whether there is a scan response that was not received.
  var lacksScanResponse: Bool { scanResponse == nil && advertisement?.kind.contains(.scannable) ?? false }

  var isConnectable: Bool { advertisement?.isConnectable ?? false }

  /// The signal strength of the latest packet, in dBm; 127 if unknown.
  var rssi: Int { Int((scanResponse ?? advertisement)?.rssi ?? 127) }

  /// Returns the dictionary that an app gets. `overflow` are the services of its scan that are in the overflow area.
  func dictionary(overflow: [CBUUID]) -> [String: Any] {
    var fields: [String: Any] = [CBAdvertisementDataIsConnectable: NSNumber(value: isConnectable)]
    var serviceData: [CBUUID: Data] = [:]
    if let name { fields[CBAdvertisementDataLocalNameKey] = name }
    if !services.isEmpty { fields[CBAdvertisementDataServiceUUIDsKey] = services.map { CBUUID($0) } }
    if !solicited.isEmpty { fields[CBAdvertisementDataSolicitedServiceUUIDsKey] = solicited.map { CBUUID($0) } }
    for structure in structures {
      switch structure {
      case .transmitPower(let power): fields[CBAdvertisementDataTxPowerLevelKey] = NSNumber(value: Int(power))
      case .serviceData(let uuid, _, let data): serviceData[CBUUID(uuid)] = Data(data)
      case .manufacturerData(let company, let data):
        fields[CBAdvertisementDataManufacturerDataKey] = Data([UInt8(company & 0xFF), UInt8(company >> 8)] + data)
      default: break
      }
    }
    if !overflow.isEmpty { fields[CBAdvertisementDataOverflowServiceUUIDsKey] = overflow }
    if !serviceData.isEmpty { fields[CBAdvertisementDataServiceDataKey] = serviceData }
    return fields
  }
}

/// What a phone knows of a device's attributes.
struct DeviceAttributes {
  /// The primary services, with the discovered contents; nil before they were discovered. After Service Changed, those that are still valid.
  private(set) var services: [RemoteService]?
  /// Whether there can be no other primary services.
  private(set) var areServicesKnown = false
  /// The services, by first handle, whose characteristics and includes were discovered; includes outlive no service.
  var withCharacteristics: Set<UInt16> = []
  var withIncludes: Set<UInt16> = []
  /// The characteristics, by value handle, whose descriptors were discovered.
  var withDescriptors: Set<UInt16> = []
  /// Services that are only included by others.
  var included: [RemoteService] = []

  /// Returns the service that contains this handle.
  func service(containing handle: UInt16) -> RemoteService? {
    ((services ?? []) + included).first { $0.handles.contains(handle) }
  }

  /// Returns the service with this first handle.
  func service(_ start: UInt16) -> RemoteService? {
    (services ?? []).first { $0.handles.lowerBound == start } ?? included.first { $0.handles.lowerBound == start }
  }

  /// Returns the characteristic with this value handle.
  func characteristic(_ value: UInt16) -> RemoteCharacteristic? {
    for service in (services ?? []) + included where service.handles.contains(value) {
      if let found = service.characteristics.first(where: { $0.value == value }) { return found }
    }
    return nil
  }

  /// The value handle of Service Changed; nil if the device has none, or it is unknown.
  var serviceChanged: UInt16? {
    services?.first { $0.uuid == .genericAttribute }?.characteristics.first { $0.uuid == .serviceChanged }?.value
  }

  /// Whether the Generic Attribute service was discovered and has no Service Changed, so that the database never changes.
  var isFixed: Bool {
    guard let services else { return false }
    guard let attribute = services.first(where: { $0.uuid == .genericAttribute }) else { return true }
    return withCharacteristics.contains(attribute.handles.lowerBound) && serviceChanged == nil
  }

  /// Changes the service with this first handle.
  mutating func change(_ start: UInt16, _ body: (inout RemoteService) -> Void) {
    var primary = services ?? []
    if let place = primary.firstIndex(where: { $0.handles.lowerBound == start }) {
      body(&primary[place])
      services = primary
    }
    if let place = included.firstIndex(where: { $0.handles.lowerBound == start }) { body(&included[place]) }
  }

  /// Takes the discovered primary services. What is known about the contents of a service stays if the service is as before.
  mutating func found(_ services: [RemoteService]) {
    let known = self.services ?? []
    for old in known where !services.contains(where: { $0.isSame(as: old) }) { forgetContents(of: old) }
    self.services = services.map { new in known.first { $0.isSame(as: new) } ?? new }
    areServicesKnown = true
  }

  /// Forgets everything in a range, and that all services are known.
  mutating func invalidate(_ range: ClosedRange<UInt16>) {
    for gone in (services ?? []) + included where gone.handles.overlaps(range) { forgetContents(of: gone) }
    services?.removeAll { $0.handles.overlaps(range) }
    included.removeAll { $0.handles.overlaps(range) }
    areServicesKnown = false
  }

  private mutating func forgetContents(of service: RemoteService) {
    withCharacteristics.remove(service.handles.lowerBound)
    withIncludes.remove(service.handles.lowerBound)
    withDescriptors = withDescriptors.filter { !service.handles.contains($0) }
  }
}

extension RemoteService {
  fileprivate func isSame(as other: RemoteService) -> Bool { handles == other.handles && uuid == other.uuid }
}
