import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import CentralHost
import Faults
import PeripheralHost
import Simulation
import Understudy
import VirtualRadio

/// An accessory and its centrals on one air under virtual time, for one case.
final class CaseStage {
  let scenario: Scenario
  let simulation: RadioSimulation
  let accessory: SimulatedAccessory<ProfileRuntime>
  private(set) var phones: [String: Phone] = [:]
  /// What happened, and how much of it has been told.
  let journal = CaseJournal()

  /// A central, and where it is connected.
  final class Phone {
    let central: ScriptedCentral
    var link: ConnectionHandle?
    var channels: [String: ChannelID] = [:]
    /// How many values, SDUs and events of it have been looked at.
    var nextPushed = 0
    var nextSDU: [String: Int] = [:]
    var nextEvent = 0
    /// How many of its events are in the journal.
    var told = 0

    init(_ central: ScriptedCentral) { self.central = central }
  }

  init(_ scenario: Scenario, _ test: ScenarioCase) throws {
    self.scenario = scenario
    simulation = RadioSimulation(seed: test.seed)
    let profile = scenario.profile
    let configuration = profile.hostConfiguration(seed: test.seed)
    // Beside a clock that begins at a time of its own, nothing of this day comes into a run.
    let clock = WallClock(nanosecondsAtZero: 1_767_225_600_000_000_000)
    accessory = try simulation.addAccessory(
      configuration, application: ProfileRuntime(profile: profile, seed: test.seed, clock: clock))
    accessory.stack.watchInterval = .seconds(1)
    accessory.stack.reportsAccess = true
    accessory.user = .accepts(passkey: profile.security.pairing.fixedPasskey)
    arm(profile.faults + test.faults)
    try accessory.start()
    tell()
  }

  /// Arms faults from now on.
  func arm(_ faults: [Fault]) {
    let profile = scenario.profile
    accessory.stack.arm(
      faults, of: profile.hostConfiguration(seed: simulation.air.configuration.seed), channels: profile.psms,
      at: simulation.now)
  }

  /// The central of that name, which comes with its first step.
  func phone(_ name: String) throws -> Phone {
    if let phone = phones[name] { return phone }
    var configuration = CentralConfiguration()
    configuration.randomAddress = .randomStatic(from: 0xCE00 + UInt64(phones.count))
    configuration.security.isPairable = true
    configuration.security.ioCapability = .keyboardDisplay
    configuration.security.prefersAuthentication = true
    let central = try simulation.addCentral(configuration)
    central.user = .accepts(passkey: scenario.profile.security.pairing.fixedPasskey)
    let phone = Phone(central)
    phones[name] = phone
    try central.start()
    return phone
  }

  /// Writes what has happened since into the journal.
  func tell() {
    journal.take(accessory.events, of: accessory.stack, at: simulation.now)
    accessory.events.removeAll(keepingCapacity: true)
    for (name, phone) in phones.sorted(by: { $0.key < $1.key }) {
      while phone.told < phone.central.events.count {
        journal.take(phone.central.events[phone.told], of: name, at: simulation.now)
        phone.told += 1
      }
    }
  }

  /// Lets time pass until something holds, at most so long; whether it came to hold. What happens meanwhile is told as it does.
  func run(until condition: () -> Bool, limit: Duration) -> Bool {
    simulation.run(
      until: {
        tell()
        return condition()
      }, limit: limit)
  }

  /// Lets that much time pass.
  func run(for duration: Duration) {
    let end = simulation.now + duration
    _ = run(until: { false }, limit: duration)
    if simulation.now < end { simulation.run(for: end - simulation.now) }
    tell()
  }
}
