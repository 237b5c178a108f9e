import Foundation

/// What a person and the system can do with a phone, both on the air of a test (`Phone`) and in real time (`SystemPhone`).
public protocol PhoneControls: AnyObject {
  /// The access to the phone's system.
  var access: PhoneAccess { get }
}

/// The access to a phone's system. Only the library uses it.
public struct PhoneAccess {
  let shared: PhoneShared
  private let system: any SystemAccess

  init(_ shared: PhoneShared, _ system: any SystemAccess) { (self.shared, self.system) = (shared, system) }

  /// Returns what `body` reads of the system.
  func read<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result { system.read(body) }

  /// Changes the system, lets the immediate consequences happen, and returns the result of `body`.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result { system.perform(body) }
}

/// Runs code on the thread that a system belongs to.
protocol SystemAccess {
  func read<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result
  func perform<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result
}

extension PhoneControls {
  /// The model of the device and its system.
  public var persona: Persona { access.shared.persona }

  // MARK: - Apps

  /// Installs an app. `background` says whether it has the background mode for Bluetooth. `permission` says whether the person has allowed
  /// it to use Bluetooth; if that is `notDetermined`, the system asks when the app creates a manager.
  public func app(
    _ name: String = "App", background: Bool = false, permission: CBManagerAuthorization = .allowedAlways
  ) -> PhoneApp {
    PhoneApp(name, background: background, permission: permission, on: access.shared)
  }

  // MARK: - The person

  /// The sheet that waits for an answer; nil if there is none.
  public var pairingSheet: PairingSheet? { access.read { $0.sheet.flatMap { $0.isShown ? $0 : nil } } }

  /// What the person does when a sheet is shown.
  public var person: Person {
    get { access.read(\.person) }
    set { access.read { $0.person = newValue } }
  }

  /// The names of the accessories with a bond, as Settings lists them.
  public var bonded: [String] {
    access.read { system in system.devices.filter { $0.identity != nil }.map { $0.name ?? "\($0.address)" } }
  }

  /// Taps "Forget This Device" for the accessory with this name. Returns whether there was one.
  @discardableResult
  public func forget(_ accessory: String) -> Bool {
    access.perform { system in
      guard let device = system.devices.first(where: { $0.identity != nil && $0.name == accessory }) else {
        return false
      }
      system.forget(device)
      return true
    }
  }

  /// Connects to the accessory with this name over BR/EDR, as a person does in Settings. The phone must use BR/EDR. Apps are told by
  /// `registerForConnectionEvents`, and use the accessory like one over LE.
  public func connectInSettings(_ accessory: String) { access.perform { $0.connectClassic(accessory) } }

  /// The names of the accessories that are connected over BR/EDR.
  public var connectedOverClassic: [String] {
    access.read { system in
      system.devices.filter { $0.link?.isClassic ?? false || $0.bridge != nil }.map { $0.name ?? "\($0.address)" }
    }
  }

  // MARK: - Bluetooth

  /// Whether Bluetooth is on. Switching it off ends all links.
  public var isBluetoothOn: Bool {
    get { access.read { $0.power == .on || $0.power == .starting } }
    set { access.perform { if newValue { $0.switchOn() } else { $0.switchOff() } } }
  }

  /// Restarts the Bluetooth service as after a crash. Apps see `resetting`, and accessories lose their links without notice.
  public func resetBluetooth() { access.perform { $0.reset() } }
}
