import AccessoryProfile
import BLECore
import Foundation
import Simulation
import UnderstudyTesting
import VirtualRadio

/// A phone, a watch or a computer with Bluetooth: what its system knows, and its apps.
///
/// ```swift
/// let air = TestAir()
/// let belt = try air.accessory("heart-rate")
/// let phone = try air.phone(.iOS)
/// let app = phone.app("Belt")
/// let connection = app.run { BeltConnection() }
/// air.advance(by: .seconds(5))
/// ```
///
/// The phone of a `TestAir` belongs to the thread of the air, and callbacks come while the test lets time pass.
public final class Phone: TestParticipant {
  let system: PhoneSystem
  /// The system and the device.
  public var persona: Persona { system.persona }

  init(_ persona: Persona, name: String, profile: Profile, on air: TestAir) throws {
    let radio = air.radio
    let controller = radio.air.addController(configuration: .full)
    system = try PhoneSystem(
      persona, profile: profile, name: name, seed: air.seed, on: controller, at: radio.now)
    super.init(named: name, on: air)
    radio.add(system)
    air.join(system)
    let record = recorder
    system.journal = { [unowned system] in record($0, system.now) }
    system.switchOn()
    guard air.advance(until: { system.power == .on }, within: .seconds(10)) else {
      throw TestFailure(reason: "the Bluetooth of \(name) did not start", transcript: air.transcript.lines)
    }
  }

  // MARK: - Apps

  /// Installs an app. `background` is its background mode for Bluetooth. `permission` is whether the person has allowed it to use Bluetooth:
  /// with `notDetermined`, the system asks when the app creates a manager.
  public func app(
    _ name: String = "App", background: Bool = false, permission: CBManagerAuthorization = .allowedAlways
  ) -> PhoneApp {
    PhoneApp(name, background: background, permission: permission, on: system.shared)
  }

  // MARK: - The person

  /// The sheet that waits for an answer.
  public var pairingSheet: PairingSheet? { system.sheet }

  /// What the person does when a sheet is shown.
  public var person: Person {
    get { system.person }
    set { system.person = newValue }
  }

  /// The names of the accessories in Settings: those with a bond.
  public var bonded: [String] { system.devices.filter { $0.identity != nil }.map { $0.name ?? "\($0.address)" } }

  /// Taps "Forget This Device" for the accessory with that name. Returns whether there was one.
  @discardableResult
  public func forget(_ accessory: String) -> Bool {
    guard let device = system.devices.first(where: { $0.identity != nil && $0.name == accessory }) else { return false }
    system.forget(device)
    settle()
    return true
  }

  // MARK: - Bluetooth

  /// Whether Bluetooth is on. Switching it off ends all links.
  public var isBluetoothOn: Bool {
    get { system.power == .on || system.power == .starting }
    set {
      if newValue { system.switchOn() } else { system.switchOff() }
      settle()
    }
  }

  /// Restarts the Bluetooth service, as after a crash: apps see `resetting`, and accessories lose their links without notice.
  public func resetBluetooth() {
    system.reset()
    settle()
  }

  // MARK: - Inside

  private func settle() { air.advance(by: .zero) }
}

extension TestAir {
  /// Adds a phone whose Bluetooth is on. `profile` is its GATT server, which accessories can use: by default the services of an iPhone.
  public func phone(_ persona: Persona = .iOS, name: String? = nil, profile: Profile? = nil) throws -> Phone {
    try Phone(persona, name: unique(name ?? persona.name), profile: profile ?? .ofPhone(), on: self)
  }
}
