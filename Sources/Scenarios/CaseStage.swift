import AccessoryProfile
import BLECore
import BLEHCI
import BLEL2CAP
import Faults
import Simulation
import UnderstudyTesting

/// The accessory and the centrals of one case, on an air under virtual time.
final class CaseStage {
  let scenario: Scenario
  let air: TestAir
  let device: TestAccessory
  private(set) var phones: [String: Phone] = [:]
  /// Up to where the accessory's events have been waited for.
  var position = 0

  /// A central, and where it is connected.
  final class Phone {
    let device: TestCentral
    var link: ConnectionHandle?
    var channels: [String: ChannelID] = [:]
    /// How many values, SDUs and events of it have been looked at.
    var nextPushed = 0
    var nextSDU: [String: Int] = [:]
    var nextEvent = 0

    init(_ device: TestCentral) { self.device = device }

    var central: ScriptedCentral { device.simulated }
  }

  init(_ scenario: Scenario, _ test: ScenarioCase, on air: TestAir) throws {
    (self.scenario, self.air) = (scenario, air)
    device = try air.accessory(scenario.profile, name: "accessory", faults: test.faults)
  }

  var simulation: RadioSimulation { air.radio }
  var accessory: SimulatedAccessory<ProfileRuntime> { device.simulated }

  /// The central of that name, which comes with its first step.
  func phone(_ name: String) throws -> Phone {
    if let phone = phones[name] { return phone }
    let phone = Phone(try air.central(name))
    phones[name] = phone
    return phone
  }

  /// Writes a line of the transcript.
  func note(_ who: String, _ text: String) { air.transcript.note(who, text, at: air.now) }
}
