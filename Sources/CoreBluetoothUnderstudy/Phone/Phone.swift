import AccessoryProfile
import BLECore
import Foundation
import Simulation
import UnderstudyTesting
import VirtualRadio

/// A phone, a watch or a computer with Bluetooth: its system and its apps.
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
/// The phone belongs to the thread of its `TestAir`. Callbacks come while the test lets time pass.
public final class Phone: TestParticipant, PhoneControls {
  /// The access to the phone's system.
  public let access: PhoneAccess

  init(_ persona: Persona, name: String, profile: Profile, usesClassic: Bool, on air: TestAir) throws {
    let radio = air.radio
    let address = DeviceAddress(bits: 0x0255_5401_0000 + UInt64(radio.arrivals))
    let controller = radio.air.addController(
      configuration: usesClassic ? .dual.with(publicAddress: address) : .full)
    let random = SplitMix64(seed: air.seed, stream: UInt64(controller.rawValue)).generator(for: "phone")
    let system = try PhoneSystem(
      persona, profile: profile, name: name, seed: air.seed, random: .seeded(random),
      publicAddress: usesClassic ? address : nil, at: radio.now)
    access = PhoneAccess(system.shared, SystemOnAir(system: system, air: air))
    super.init(named: name, on: air)
    let participant = PhoneOnAir(system, controller)
    radio.add(participant)
    air.join(participant)
    let record = recorder
    system.journal = { [unowned system] in record($0, system.now) }
    system.switchOn()
    guard air.advance(until: { system.power == .on }, within: .seconds(10)) else {
      throw TestFailure(reason: "the Bluetooth of \(name) did not start", transcript: air.transcript.lines)
    }
  }
}

extension TestAir {
  /// Adds a phone whose Bluetooth is on. `profile` describes the GATT server that accessories can use, by default that of an iPhone.
  /// `usesClassic` says whether it uses BR/EDR too, as real phones do.
  public func phone(
    _ persona: Persona = .iOS, name: String? = nil, profile: Profile? = nil, usesClassic: Bool = false
  ) throws -> Phone {
    try Phone(
      persona, name: unique(name ?? persona.name), profile: profile ?? .ofPhone(), usesClassic: usesClassic, on: self)
  }
}

/// A phone's system as a host on an air.
final class PhoneOnAir: RadioParticipant {
  let system: PhoneSystem
  let controller: ControllerID

  init(_ system: PhoneSystem, _ controller: ControllerID) { (self.system, self.controller) = (system, controller) }

  var nextDeadline: Instant? { system.nextDeadline }

  func receive(_ octets: Span<UInt8>, at now: Instant) { system.receive(octets, at: now) }

  func advance(to now: Instant) { system.advance(to: now) }

  func drain(into buffer: inout OctetBuffer) { system.drain(into: &buffer) }
}

/// Runs code on the system of a phone on an air. The air belongs to the caller's thread.
private struct SystemOnAir: SystemAccess {
  let system: PhoneSystem
  unowned let air: TestAir

  func read<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result { body(system) }

  func perform<Result: Sendable>(_ body: @escaping @Sendable (PhoneSystem) -> Result) -> Result {
    let result = body(system)
    air.advance(by: .zero)
    return result
  }
}
