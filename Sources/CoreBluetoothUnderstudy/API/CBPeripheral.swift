import BLECore
import BLEGATT
import Foundation

/// The connection of an app to a peripheral.
public enum CBPeripheralState: Int, Sendable {
  case disconnected = 0
  case connecting = 1
  case connected = 2
  case disconnecting = 3
}

/// A device that a central manager has discovered or retrieved.
open class CBPeripheral: CBPeer, @unchecked Sendable {
  @WeakLocked private var currentDelegate: (any CBPeripheralDelegate)?
  @WeakLocked var manager: CBCentralManager?
  @Locked var currentState = CBPeripheralState.disconnected
  @Locked var currentName: String?
  @Locked var isANCSAuthorized = false
  /// The ATT MTU of the link, in octets.
  @Locked var mtu = 23
  @Locked var attributes = AppAttributes()
  /// The writes without response that the system has not sent.
  @Locked var commands = CommandCount()
  private let app: PhoneApp?

  init(_ device: KnownDevice, of manager: CBCentralManager) {
    app = manager.app
    super.init(identifier: device.identifier)
    self.manager = manager
    currentName = device.name
  }

  deinit {
    guard let app, currentState == .connected || currentState == .connecting, let manager else { return }
    app.misuse(
      "canceling the connection of the unused peripheral \(identifier): did the app forget to keep a reference to it?")
    app.post { [id = manager.id, identifier] in $0.cancelConnection(identifier, for: id) }
  }

  /// The delegate.
  open var delegate: (any CBPeripheralDelegate)? {
    get { currentDelegate }
    set { currentDelegate = newValue }
  }

  /// The name: of the Generic Access service, or from advertising data.
  open var name: String? { currentName }
  /// The state of the app's connection.
  open var state: CBPeripheralState { currentState }
  /// The services that have been discovered.
  open var services: [CBService]? { attributes.services }
  /// Whether a write without response is sent now. If not, wait for `peripheralIsReady(toSendWriteWithoutResponse:)`.
  open var canSendWriteWithoutResponse: Bool { currentState == .connected && commands.hasRoom }
  /// Whether the person lets the peripheral use the Apple Notification Center Service.
  open var ancsAuthorized: Bool { isANCSAuthorized }

  // MARK: - Discovery

  /// Discovers the primary services, all or those with these identifiers.
  open func discoverServices(_ serviceUUIDs: [CBUUID]?) {
    post { [uuids = serviceUUIDs?.map(\.uuid)] in $0.discoverServices(uuids, of: $1) }
  }

  /// Discovers the services that a service includes.
  open func discoverIncludedServices(_ includedServiceUUIDs: [CBUUID]?, for service: CBService) {
    guard owns(service) else { return }
    post { [uuids = includedServiceUUIDs?.map(\.uuid)] in $0.discoverIncludes(uuids, of: service, $1) }
  }

  /// Discovers the characteristics of a service.
  open func discoverCharacteristics(_ characteristicUUIDs: [CBUUID]?, for service: CBService) {
    guard owns(service) else { return }
    post { [uuids = characteristicUUIDs?.map(\.uuid)] in $0.discoverCharacteristics(uuids, of: service, $1) }
  }

  /// Discovers the descriptors of a characteristic.
  open func discoverDescriptors(for characteristic: CBCharacteristic) {
    guard owns(characteristic.service) else { return }
    post { $0.discoverDescriptors(of: characteristic, $1) }
  }

  // MARK: - Values

  /// Reads a value of any length.
  open func readValue(for characteristic: CBCharacteristic) {
    guard owns(characteristic.service) else { return }
    post { $0.read(characteristic, $1) }
  }

  /// Reads a descriptor.
  open func readValue(for descriptor: CBDescriptor) {
    guard owns(descriptor.characteristic?.service) else { return }
    post { $0.read(descriptor, $1) }
  }

  /// Returns the number of octets that one write can have.
  open func maximumWriteValueLength(for type: CBCharacteristicWriteType) -> Int {
    type == .withResponse ? 512 : mtu - 3
  }

  /// Writes a value. With a response, the system splits long values.
  open func writeValue(_ data: Data, for characteristic: CBCharacteristic, type: CBCharacteristicWriteType) {
    guard owns(characteristic.service) else { return }
    let octets = [UInt8](data)
    guard type == .withoutResponse else { return post { $0.write(octets, to: characteristic, $1) } }
    guard isReady() else { return }
    guard characteristic.properties.contains(.writeWithoutResponse) else {
      app?.misuse("\(characteristic) lacks the property for writes without response: the write is ignored")
      return
    }
    guard $commands.change({ $0.add() }) else {
      app?.misuse("a write without response was dropped because canSendWriteWithoutResponse was false")
      return
    }
    post { $0.writeCommand(octets, to: characteristic, $1) }
  }

  /// Writes a descriptor. The Client Characteristic Configuration is written by `setNotifyValue`.
  open func writeValue(_ data: Data, for descriptor: CBDescriptor) {
    guard owns(descriptor.characteristic?.service) else { return }
    guard descriptor.uuid.uuid != .clientCharacteristicConfiguration else {
      app?.misuse(
        "Client Characteristic Configuration descriptors must be configured with setNotifyValue:forCharacteristic:")
      return
    }
    post { [octets = [UInt8](data)] in $0.write(octets, to: descriptor, $1) }
  }

  /// Subscribes to a characteristic, or ends the subscription.
  open func setNotifyValue(_ enabled: Bool, for characteristic: CBCharacteristic) {
    guard owns(characteristic.service) else { return }
    post { $0.subscribe(enabled, to: characteristic, $1) }
  }

  // MARK: - The link

  /// Reads the signal strength.
  open func readRSSI() { post { $0.readSignalStrength($1) } }

  /// Opens a channel.
  open func openL2CAPChannel(_ PSM: CBL2CAPPSM) { post { $0.openChannel(PSM, $1) } }

  /// Posts an operation on this peripheral, if it is connected.
  private func post(_ call: @escaping @Sendable (PhoneSystem, AppPeer) -> Void) {
    guard isReady(), let app, let manager else { return }
    let peer = AppPeer(manager: manager.id, device: identifier)
    app.post { call($0, peer) }
  }

  private func isReady() -> Bool {
    if currentState == .connected { return true }
    app?.misuse("\(self) can only accept commands while in the connected state")
    return false
  }

  private func owns(_ service: CBService?) -> Bool {
    guard let service, service.peripheral === self, attributes.contains(service) else {
      app?.misuse("the attribute is not one of \(self): was its service invalidated?")
      return false
    }
    return true
  }

  open override var description: String {
    "<CBPeripheral: identifier = \(identifier), name = \(currentName ?? "(null)"), mtu = \(mtu), state = \(currentState)>"
  }
}

/// The count of writes without response that the system has not sent.
struct CommandCount {
  /// How many fit. Core Bluetooth documents no number; this is what a few connection events carry.
  static let limit = 20
  private var pending = 0
  /// Whether the app is to be told when there is room again.
  private var isWaiting = false

  var hasRoom: Bool { pending < Self.limit }

  /// Counts a write; false if there is no room.
  mutating func add() -> Bool {
    guard hasRoom else { return false }
    pending += 1
    if !hasRoom { isWaiting = true }
    return true
  }

  /// Counts a sent write; returns whether to tell the app that there is room again.
  mutating func sent() -> Bool {
    pending = max(0, pending - 1)
    guard isWaiting, pending <= Self.limit / 2 else { return false }
    isWaiting = false
    return true
  }

  mutating func reset() { self = CommandCount() }
}

/// The objects of a peripheral's attributes that an app has.
struct AppAttributes {
  private(set) var services: [CBService]?
  /// Included and primary services by their first handle.
  private var known: [UInt16: CBService] = [:]

  func contains(_ service: CBService) -> Bool { known[service.handles.lowerBound] === service }

  /// Returns the object of a service, and creates it if there is none.
  mutating func object(of service: RemoteService, _ peripheral: CBPeripheral) -> CBService {
    if let object = known[service.handles.lowerBound], object.uuid.uuid == service.uuid,
      object.handles == service.handles
    {
      return object
    }
    let object = CBService(service, of: peripheral)
    known[service.handles.lowerBound] = object
    return object
  }

  /// Adds discovered services to the list.
  mutating func add(_ found: [CBService]) {
    var all = services ?? []
    for service in found where !all.contains(where: { $0 === service }) {
      all.removeAll { $0.handles.overlaps(service.handles) }
      all.append(service)
    }
    services = all.sorted { $0.handles.lowerBound < $1.handles.lowerBound }
  }

  /// Removes the services in a range, and returns them.
  mutating func invalidate(_ range: ClosedRange<UInt16>) -> [CBService] {
    let gone = known.values.filter { $0.handles.overlaps(range) }.sorted {
      $0.handles.lowerBound < $1.handles.lowerBound
    }
    for service in gone { known[service.handles.lowerBound] = nil }
    services?.removeAll { $0.handles.overlaps(range) }
    return gone
  }

  /// Returns the object of a characteristic with this value handle.
  func characteristic(_ value: UInt16) -> CBCharacteristic? {
    for service in known.values where service.handles.contains(value) {
      if let found = service.characteristics?.first(where: { $0.remote.value == value }) { return found }
    }
    return nil
  }

  /// All characteristics.
  var characteristics: [CBCharacteristic] { known.values.flatMap { $0.characteristics ?? [] } }
}
