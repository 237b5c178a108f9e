@_exported import Understudy
import BLECore
import BLEGAP
import BLEHCI
import CentralHost
import PeripheralHost
import Simulation
import VirtualRadio

/// An air with accessories and scripted centrals on it, under virtual time: an hour passes in an instant, nothing waits for a
/// clock, and the same calls with the same seed give the same octets.
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
/// Each test makes an air of its own, so that tests can run beside one another. An air and what is on it belong to one thread.
/// It works the same in Swift Testing and in XCTest: what does not happen is thrown as a `TestFailure`, which tells what did.
public final class TestAir {
  let simulation: RadioSimulation
  /// What everything random on this air follows from.
  public let seed: UInt64
  /// What has happened on it.
  public let transcript = Transcript()
  /// Whether others use the radio too.
  private let sharesRadio: Bool
  private var hosts: [any RadioParticipant] = []
  /// How many there are with each name.
  private var names: [String: Int] = [:]

  /// An air that nobody is on yet.
  public init(seed: UInt64 = 1) {
    (self.seed, sharesRadio) = (seed, false)
    simulation = RadioSimulation(seed: seed)
  }

  /// A part of a radio that others use at the same time. Those on it hear the others and are heard by them; `impairment` is only
  /// between those of this part. The transcript is theirs alone.
  package init(seed: UInt64, sharing radio: RadioSimulation) {
    (self.seed, sharesRadio) = (seed, true)
    simulation = radio
  }

  // MARK: - Who is on it

  /// Adds an accessory, and waits until it is on the air. `faults` are armed beside those of its profile. Without a `name` the
  /// transcript calls it by its profile's; the second with a name has a number behind it.
  public func accessory(_ profile: Profile, name: String? = nil, faults: [Fault] = []) throws -> TestAccessory {
    try TestAccessory(profile, name: unique(name ?? profile.name), faults: faults, on: self)
  }

  /// Adds an accessory with the profile in a file, or a shipped one by its name, as `understudy run` takes it.
  public func accessory(_ profile: String) throws -> TestAccessory { try accessory(try Profile.load(profile)) }

  /// The same on a controller of that kind.
  package func accessory(_ profile: Profile, on controller: ControllerConfiguration) throws -> TestAccessory {
    try TestAccessory(profile, name: unique(profile.name), faults: [], controller: controller, on: self)
  }

  /// Adds a central. Its name is for the transcript.
  public func central(_ name: String? = nil) throws -> TestCentral {
    try TestCentral(unique(name ?? "central"), on: self)
  }

  /// Knows of a host that has come.
  func join(_ host: any RadioParticipant) {
    hosts.append(host)
    if impairment != PathImpairment() { impair() }
  }

  /// Takes everybody off the radio, as by pulling the plug.
  package func clear() {
    for host in hosts { simulation.remove(host) }
    hosts = []
  }

  /// How a profile's host is configured here: with an address of its own where somebody on the radio has the profile's.
  func configuration(of profile: Profile) -> HostConfiguration {
    var configuration = profile.hostConfiguration(seed: seed)
    let accessories = simulation.participants.compactMap { $0 as? SimulatedAccessory<ProfileRuntime> }
    let taken = accessories.flatMap { [$0.stack.randomAddress, $0.stack.address] }
    var number = 1
    while let address = configuration.identity.randomAddress(seed: seed), taken.contains(address) {
      number += 1
      configuration.identity = .derivedStatic(from: "\(address) \(number)")
    }
    return configuration
  }

  /// The name, or with a number behind it where it is taken.
  private func unique(_ name: String) -> String {
    let number = names[name, default: 0] + 1
    names[name] = number
    return number == 1 ? name : unique("\(name) \(number)")
  }

  // MARK: - Time

  /// How much time has passed on this air.
  public var now: Duration { .nanoseconds(simulation.now.nanoseconds) }

  /// Lets that much time pass.
  public func advance(by duration: Duration) { simulation.run(for: duration) }

  /// Lets time pass until something holds, at most so long; whether it came to hold. Where it does not, time stands at
  /// the last thing that happened before the limit.
  @discardableResult
  public func advance(until condition: () -> Bool, within limit: Duration) -> Bool {
    simulation.run(until: condition, limit: limit)
  }

  // MARK: - What is between them

  /// Loses that part of all packets, from 0 to 1, at random by the seed.
  public func lose(_ part: Double) { impairment.loss = part > 0 ? .fraction(part) : .none }

  /// Whether anybody hears anybody. Links end by their supervision timeouts when nobody does for long enough.
  public var isReachable: Bool {
    get { impairment.isReachable }
    set { impairment.isReachable = newValue }
  }

  /// What happens to packets between everybody.
  public var impairment = PathImpairment() { didSet { impair() } }

  private func impair() {
    guard sharesRadio else { return simulation.air.setDefaultImpairment(impairment) }
    for from in hosts {
      for to in hosts where from !== to {
        simulation.air.setImpairment(impairment, from: from.controller, to: to.controller)
      }
    }
  }

  /// How this air is, for who goes deeper.
  package var radio: RadioSimulation { simulation }
}

/// Somebody on an air, of whom events can be expected.
public class TestParticipant {
  /// The air, which lasts as long as somebody on it.
  public let air: TestAir
  /// What the transcript calls it.
  public let name: String
  let journal: Journal

  init(_ name: String, _ journal: Journal, on air: TestAir) {
    (self.name, self.journal, self.air) = (name, journal, air)
  }

  /// Everything that has happened to it, in order.
  public var events: [TestEvent] { journal.events }
}
