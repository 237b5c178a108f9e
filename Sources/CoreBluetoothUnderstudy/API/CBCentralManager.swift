import BLECore
import Dispatch
import Foundation

/// The central role of an app: scans for peripherals, and connects to them.
///
/// A manager belongs to the app whose code creates it (`PhoneApp.run`).
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

  /// Features that a system may support.
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

  /// Creates a manager that calls its delegate on `queue`, or on the main queue if `queue` is nil.
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

  /// Scans for peripherals that advertise any of these services, or for all peripherals if it is nil or empty. Replaces an earlier scan.
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

  /// Returns the connected peripherals that have any of these services, whichever app connected them.
  open func retrieveConnectedPeripherals(withServices serviceUUIDs: [CBUUID]) -> [CBPeripheral] {
    guard isReady(), let app else { return [] }
    let wanted = Set(serviceUUIDs.map(\.uuid))
    return app.connectedDevices.filter { !wanted.isDisjoint(with: $0.services) }.map { peripheral($0.device) }
  }

  /// Asks for connection events of devices that match these options; without options, of all devices.
  open func registerForConnectionEvents(options: [CBConnectionEventMatchingOption: Any]? = nil) {
    guard isReady() else { return }
    let request = AppConnectionEvents(
      services: (options?[.serviceUUIDs] as? [CBUUID])?.map(\.uuid), devices: options?[.peripheralUUIDs] as? [UUID])
    app?.post { [id] in $0.registerForConnectionEvents(request, for: id) }
  }

  // MARK: - Peripherals

  /// Returns the app's object for a device, and creates it if there is none.
  func peripheral(_ device: KnownDevice) -> CBPeripheral {
    $peripherals.change { table in
      if let known = table[device.identifier]?.peripheral { return known }
      let peripheral = CBPeripheral(device, of: self)
      table[device.identifier] = WeakPeripheral(peripheral: peripheral)
      return peripheral
    }
  }

  /// Returns the app's object for a device; nil if there is none.
  func existing(_ identifier: UUID) -> CBPeripheral? { $peripherals.change { $0[identifier]?.peripheral } }

  /// The app's objects for devices.
  var existingPeripherals: [CBPeripheral] {
    $peripherals.change { $0.values.compactMap(\.peripheral) }.sorted {
      $0.identifier.uuidString < $1.identifier.uuidString
    }
  }

  /// Notes that the system has stopped or resumed scanning for this manager.
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
