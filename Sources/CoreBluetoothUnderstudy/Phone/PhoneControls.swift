import Foundation

/// What a person and the system do with a phone: the same on the air of a test (`Phone`) and in real time (`SystemPhone`).
public protocol PhoneControls: AnyObject {
  /// The way to the phone's system.
  var access: PhoneAccess { get }
}

/// The way to a phone's system. Only the library uses it.
public struct PhoneAccess {
  let shared: PhoneShared
  private let way: any WayToSystem

  init(_ shared: PhoneShared, _ way: any WayToSystem) { (self.shared, self.way) = (shared, way) }

  /// Returns what `body` reads of the system.
  func read<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result { way.read(body) }

  /// Changes the system, lets everything happen that follows at once, and returns the result of `body`.
  func perform<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result { way.perform(body) }
}

/// How a system is reached on the thread to which it belongs.
protocol WayToSystem {
  func read<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result
  func perform<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result
}

extension PhoneControls {
  /// The system and the device.
  public var persona: Persona { access.shared.persona }

  // MARK: - Apps

  /// Installs an app. `background` is its background mode for Bluetooth. `permission` is whether the person has allowed it to use Bluetooth:
  /// with `notDetermined`, the system asks when the app creates a manager.
  public func app(
    _ name: String = "App", background: Bool = false, permission: CBManagerAuthorization = .allowedAlways
  ) -> PhoneApp {
    PhoneApp(name, background: background, permission: permission, on: access.shared)
  }

  // MARK: - The person

  /// The sheet that waits for an answer.
  public var pairingSheet: PairingSheet? { access.read { $0.sheet.flatMap { $0.isShown ? $0 : nil } } }

  /// What the person does when a sheet is shown.
  public var person: Person {
    get { access.read(\.person) }
    set { access.read { $0.person = newValue } }
  }

  /// The names of the accessories in Settings: those with a bond.
  public var bonded: [String] {
    access.read { system in system.devices.filter { $0.identity != nil }.map { $0.name ?? "\($0.address)" } }
  }

  /// Taps "Forget This Device" for the accessory with that name. Returns whether there was one.
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

  // MARK: - Bluetooth

  /// Whether Bluetooth is on. Switching it off ends all links.
  public var isBluetoothOn: Bool {
    get { access.read { $0.power == .on || $0.power == .starting } }
    set { access.perform { if newValue { $0.switchOn() } else { $0.switchOff() } } }
  }

  /// Restarts the Bluetooth service, as after a crash: apps see `resetting`, and accessories lose their links without notice.
  public func resetBluetooth() { access.perform { $0.reset() } }
}
