import BLECore
import BLEGATT
import Foundation

/// The state of an app's connection to a peripheral.
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

  /// The name, from the Generic Access service or from advertising data.
  open var name: String? { currentName }
  /// The state of the app's connection.
  open var state: CBPeripheralState { currentState }
  /// The services that have been discovered.
  open var services: [CBService]? { attributes.services }
  /// Whether there is room for a write without response. If not, wait for `peripheralIsReady(toSendWriteWithoutResponse:)`.
  open var canSendWriteWithoutResponse: Bool { currentState == .connected && commands.hasRoom }
  /// Whether the person lets the peripheral use the Apple Notification Center Service.
  open var ancsAuthorized: Bool { isANCSAuthorized }

  // MARK: - Discovery

  /// Discovers the primary services with these UUIDs, or all primary services if it is nil.
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

  /// Returns the maximum number of octets in one write.
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

  /// Writes a descriptor. Use `setNotifyValue` for the Client Characteristic Configuration.
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

  /// Posts an operation on this peripheral if it is connected.
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
      app?.misuse("the attribute is not one of \(self): if its service was invalidated, discover it again")
      return false
    }
    return true
  }

  open override var description: String {
    "<CBPeripheral: identifier = \(identifier), name = \(currentName ?? "(null)"), mtu = \(mtu), state = \(currentState)>"
  }
}
