import AccessoryProfile
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import Faults
import Simulation
import UnderstudyTesting

/// The accessory and the centrals of one case, on an air in virtual time.
final class CaseStage {
  let scenario: Scenario
  let air: TestAir
  let device: TestAccessory
  private(set) var phones: [String: Phone] = [:]
  /// The position after the accessory's last expected event.
  var position = 0

  /// A central, and its connection.
  final class Phone {
    let device: TestCentral
    var link: ConnectionHandle?
    var channels: [String: ChannelID] = [:]
    /// The handles of the characteristics' values, as discovered last, on this link or an earlier one. A central that has not discovered
    /// uses the handles in the accessory's database.
    private(set) var handles: [String: UInt16]?
    /// The numbers of its values, SDUs and events that have been processed.
    var nextPushed = 0
    var nextSDU: [String: Int] = [:]
    var nextEvent = 0

    init(_ device: TestCentral) { self.device = device }

    var central: ScriptedCentral { device.simulated }

    /// Stores the handles that it discovered.
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

  /// Returns the central with a name. It is added when it is first used.
  func phone(_ name: String) throws -> Phone {
    if let phone = phones[name] { return phone }
    let phone = Phone(try air.central(name))
    phones[name] = phone
    return phone
  }

  /// Adds a line to the transcript.
  func note(_ who: String, _ text: String) { air.transcript.note(who, text, at: air.now) }
}
