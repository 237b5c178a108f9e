import BLECore
import Dispatch
import Foundation

/// The central role of a phone, for an app: scans, and connects to peripherals.
///
/// A manager belongs to the app in whose code it was created (`PhoneApp.launch`).
open class CBCentralManager: CBManager, @unchecked Sendable {
  @WeakLocked private var currentDelegate: (any CBCentralManagerDelegate)?
  @Locked private var peripherals: [UUID: WeakPeripheral] = [:]
  @Locked private var isActive = false
  let id: ManagerID
  let queue: DispatchQueue
  let restoreIdentifier: String?

  private struct WeakPeripheral {
    weak var peripheral: CBPeripheral?
  }

  /// What a system supports.
  public struct Feature: OptionSet, Hashable, Sendable {
    /// The bits.
    public let rawValue: UInt
    /// Creates a set with these bits.
    public init(rawValue: UInt) { self.rawValue = rawValue }

    /// Extended advertisements and connections.
    public static let extendedScanAndConnect = Feature(rawValue: 1 << 0)
  }

  /// Returns whether the phone of the current app supports these features.
  open class func supports(_ features: Feature) -> Bool {
    guard let phone = PhoneApp.ofCaller?.persona else { return false }
    return features.isSubset(of: phone.features)
  }

  /// Creates a manager without a delegate.
  public convenience init() { self.init(delegate: nil, queue: nil, options: nil) }

  /// Creates a manager whose delegate is called on `queue`; on the main queue if it is nil.
  public convenience init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?) {
    self.init(delegate: delegate, queue: queue, options: nil)
  }

  /// Creates a manager with options.
  public init(delegate: (any CBCentralManagerDelegate)?, queue: DispatchQueue?, options: [String: Any]? = nil) {
    let app = PhoneApp.ofCaller
    id = app?.nextManagerID() ?? ManagerID(rawValue: 0)
    self.queue = queue ?? .main
    restoreIdentifier = options?[CBCentralManagerOptionRestoreIdentifierKey] as? String
    super.init(state: app == nil ? .unsupported : .unknown, app: app)
    currentDelegate = delegate
    if let app {
      app.register(self, showsPowerAlert: options?.flag(CBCentralManagerOptionShowPowerAlertKey) ?? false)
    } else {
      self.queue.async { [weak self] in self.map { $0.delegate?.centralManagerDidUpdateState($0) } }
    }
  }

  deinit {
    let id = id
    app?.post { $0.removeManager(id) }
  }

  /// The delegate.
  open var delegate: (any CBCentralManagerDelegate)? {
    get { currentDelegate }
    set { currentDelegate = newValue }
  }

  // MARK: - Scanning

  /// Whether it scans.
  open var isScanning: Bool { isActive }

  /// Scans for peripherals that advertise any of these services; for all of them if there are none. Replaces an earlier scan.
  open func scanForPeripherals(withServices serviceUUIDs: [CBUUID]?, options: [String: Any]? = nil) {
    guard isReady() else { return }
    isActive = true
    let request = AppScan(
      services: serviceUUIDs?.map(\.uuid),
      solicited: options?.uuids(CBCentralManagerScanOptionSolicitedServiceUUIDsKey)?.map(\.uuid),
      allowsDuplicates: options?.flag(CBCentralManagerScanOptionAllowDuplicatesKey) ?? false)
    app?.post { [id] in $0.scan(request, for: id) }
  }

  /// Stops scanning.
  open func stopScan() {
    guard isReady() else { return }
    isActive = false
    app?.post { [id] in $0.scan(nil, for: id) }
  }

  // MARK: - Connecting

  /// Connects to a peripheral, without a time limit.
  open func connect(_ peripheral: CBPeripheral, options: [String: Any]? = nil) {
    guard isReady(), owns(peripheral) else { return }
    peripheral.$currentState.change { if $0 == .disconnected || $0 == .disconnecting { $0 = .connecting } }
    let request = AppConnection(options ?? [:])
    app?.post { [id, device = peripheral.identifier] in $0.connect(device, request, for: id) }
  }

  /// Cancels a connection, or the attempt to make one. The link stays while other apps use it.
  open func cancelPeripheralConnection(_ peripheral: CBPeripheral) {
    guard isReady(), owns(peripheral) else { return }
    peripheral.$currentState.change { if $0 == .connected { $0 = .disconnecting } }
    app?.post { [id, device = peripheral.identifier] in $0.cancelConnection(device, for: id) }
  }

  /// Returns the known peripherals with these identifiers.
  open func retrievePeripherals(withIdentifiers identifiers: [UUID]) -> [CBPeripheral] {
    guard isReady(), let known = app?.knownDevices else { return [] }
    return identifiers.compactMap { identifier in known[identifier].map { peripheral($0) } }
  }

  /// Returns the peripherals that are connected to this phone, by whatever app, and have any of these services.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard isReady(), let app else { return [] }
    let wanted = Set(serviceUUIDs.map(\.uuid))
    return app.connectedDevices.filter { !wanted.isDisjoint(with: $0.services) }.map { peripheral($0.device) }
  }

  /// Asks for connection events of devices that match these options; of all that the app knows without options.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    guard isReady() else { return }
    let request = AppConnectionEvents(
      services: (options?[.serviceUUIDs] as? [CBUUID])?.map(\.uuid), devices: options?[.peripheralUUIDs] as? [UUID])
    app?.post { [id] in $0.registerForConnectionEvents(request, for: id) }
  }

  // MARK: - Peripherals

  /// Returns the object of a device, and creates it if the app has none.
  func peripheral(_ device: KnownDevice) -> CBPeripheral {
    $peripherals.change { table in
      if let known = table[device.identifier]?.peripheral { return known }
      let peripheral = CBPeripheral(device, of: self)
      table[device.identifier] = WeakPeripheral(peripheral: peripheral)
      return peripheral
    }
  }

  /// Returns the object of a device; nil if the app has none.
  func existing(_ identifier: UUID) -> CBPeripheral? { $peripherals.change { $0[identifier]?.peripheral } }

  /// The objects that the app has.
  var existingPeripherals: [CBPeripheral] {
    $peripherals.change { $0.values.compactMap(\.peripheral) }.sorted {
      $0.identifier.uuidString < $1.identifier.uuidString
    }
  }

  /// Notes that the system no longer scans for this manager, or scans for it again.
  func scanEnded() { isActive = false }
  func scanRestored() { isActive = true }

  private func owns(_ peripheral: CBPeripheral) -> Bool {
    if peripheral.manager === self { return true }
    app?.misuse("\(peripheral) was obtained from another central manager")
    return false
  }

  private func isReady() -> Bool {
    if state == .poweredOn { return true }
    app?.misuse("\(self) can only accept this command while in the powered on state")
    return false
  }

  open override var description: String { "<CBCentralManager: \(app?.name ?? "no phone") \(id.rawValue)>" }
}
