import BLECore
import BLEGAP
import BLEHCI
import CentralHost
import PeripheralHost
import Simulation
import VirtualRadio

/// An air with accessories and scripted centrals, in virtual time: an hour passes in an instant, nothing waits for a clock, and the same
/// calls with the same seed give the same octets.
///
/// ```swift
/// let air = TestAir()
/// let lock = try air.accessory("smart-lock")
/// let phone = try air.central()
/// try phone.connect(to: lock)
/// try phone.pair(passkey: 123456)
/// try phone.read("lock-state")
/// try lock.expect(.read(of: "lock-state"), within: .seconds(3))
/// ```
///
/// Give each test its own air, so that tests can run in parallel. An air and everything on it belong to one thread. Airs work the same in
/// Swift Testing and in XCTest: an expectation that is not met throws a `TestFailure`, which says what happened instead.
public final class TestAir {
  let simulation: RadioSimulation
  /// The seed of everything random on this air.
  public let seed: UInt64
  /// The events on this air.
  public let transcript = Transcript()
  /// Whether the radio is shared with other airs.
  private let sharesRadio: Bool
  private var hosts: [any RadioParticipant] = []
  /// The number of participants with each name.
  private var names: [String: Int] = [:]

  /// Creates an air without participants.
  public init(seed: UInt64 = 1) {
    (self.seed, sharesRadio) = (seed, false)
    simulation = RadioSimulation(seed: seed)
  }

  /// Creates an air that shares a radio with other airs. All participants on the radio hear one another, but the air's `impairment` applies
  /// only between its own participants, and its transcript contains only their events.
  package init(seed: UInt64, sharing radio: RadioSimulation) {
    (self.seed, sharesRadio) = (seed, true)
    simulation = radio
  }

  // MARK: - Participants

  /// Adds an accessory, and waits until it advertises. Arms `faults` in addition to those of the profile. `name`, by default the profile's,
  /// names the accessory in the transcript. A name that is already used gets a number.
  public func accessory(_ profile: Profile, name: String? = nil, faults: [Fault] = []) throws -> TestAccessory {
    try TestAccessory(profile, name: unique(name ?? profile.name), faults: faults, on: self)
  }

  /// Adds an accessory with the profile in a file, or with a shipped one by name. Finds the profile as `understudy run` does.
  public func accessory(_ profile: String) throws -> TestAccessory { try accessory(try Profile.load(profile)) }

  /// Adds an accessory with a controller of this configuration.
  package func accessory(_ profile: Profile, on controller: ControllerConfiguration) throws -> TestAccessory {
    try TestAccessory(profile, name: unique(profile.name), faults: [], controller: controller, on: self)
  }

  /// Adds a central. `name` names it in the transcript.
  public func central(_ name: String? = nil) throws -> TestCentral {
    try TestCentral(unique(name ?? "central"), on: self)
  }

  /// Adds a central that uses BR/EDR too.
  public func dualCentral(_ name: String? = nil) throws -> TestCentral {
    try TestCentral(unique(name ?? "central"), usesClassic: true, on: self)
  }

  /// Adds a central, which behaves like those of the persona's maker if there is a persona.
  package func central(_ name: String?, as persona: CentralPersona?, usesClassic: Bool = false) throws -> TestCentral {
    try TestCentral(unique(name ?? "central"), as: persona, usesClassic: usesClassic, on: self)
  }

  /// Registers a host for `clear` and for impairments.
  package func join(_ host: any RadioParticipant) {
    hosts.append(host)
    if impairment != PathImpairment() { impair() }
  }

  /// Removes all participants from the radio, as if they were unplugged.
  package func clear() {
    for host in hosts { simulation.remove(host) }
    hosts = []
  }

  /// Returns the host configuration for a profile, with another address if the profile's is already used on the radio.
  func configuration(of profile: Profile) -> HostConfiguration {
    var configuration = profile.hostConfiguration(seed: seed)
    let accessories = simulation.participants.compactMap { $0 as? SimulatedAccessory<ProfileRuntime> }
    let taken = accessories.flatMap { [$0.stack.identity.randomAddress, $0.stack.address] }
    var number = 1
    while let address = configuration.identity.randomAddress(seed: seed), taken.contains(address) {
      number += 1
      configuration.identity = .derivedStatic(from: "\(address) \(number)")
    }
    return configuration
  }

  /// Returns a name, with a number appended if it is already used.
  package func unique(_ name: String) -> String {
    let number = names[name, default: 0] + 1
    names[name] = number
    return number == 1 ? name : unique("\(name) \(number)")
  }

  // MARK: - Time

  /// The virtual time since the start of this air.
  public var now: Duration { .nanoseconds(simulation.now.nanoseconds) }

  /// Lets virtual time pass.
  public func advance(by duration: Duration) { simulation.run(for: duration) }

  /// Lets virtual time pass until a condition holds, up to a limit. Returns whether it holds. If it does not, `now` is the time of the last
  /// event before the limit.
  @discardableResult
  public func advance(until condition: () -> Bool, within limit: Duration) -> Bool {
    simulation.run(until: condition, limit: limit)
  }

  // MARK: - Impairment

  /// Loses this part of all packets, from 0 to 1, at random. The seed determines which.
  public func lose(_ part: Double) { impairment.loss = part > 0 ? .fraction(part) : .none }

  /// Whether participants hear one another. If they do not, supervision timeouts end the links.
  public var isReachable: Bool {
    get { impairment.isReachable }
    set { impairment.isReachable = newValue }
  }

  /// The impairment of packets between all participants.
  public var impairment = PathImpairment() { didSet { impair() } }

  private func impair() {
    guard sharesRadio else { return simulation.air.setDefaultImpairment(impairment) }
    for from in hosts {
      for to in hosts where from !== to {
        simulation.air.setImpairment(impairment, from: from.controller, to: to.controller)
      }
    }
  }

  /// The radio simulation, for direct access.
  package var radio: RadioSimulation { simulation }
}
