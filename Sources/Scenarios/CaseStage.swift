import AccessoryProfile
import BLECore
import BLEGATT
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
    /// The handles of the characteristics' values as it discovered them last, on this link or before. A central that has never discovered knows
    /// the accessory: its handles are those of the database.
    private(set) var handles: [String: UInt16]?
    /// How many values, SDUs and events of it have been looked at.
    var nextPushed = 0
    var nextSDU: [String: Int] = [:]
    var nextEvent = 0

    init(_ device: TestCentral) { self.device = device }

    var central: ScriptedCentral { device.simulated }

    /// Remembers what it has discovered.
    func remember(_ found: RemoteDatabase, in database: AttributeDatabase) {
      handles = [:]
      for record in database.characteristics {
        let isFound = found.characteristics.contains {
          $0.value == record.value && $0.uuid == record.definition.uuid
        }
        if isFound { handles?[record.definition.id] = record.value }
      }
    }
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
