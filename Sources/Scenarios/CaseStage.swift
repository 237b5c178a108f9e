import AccessoryProfile
import BLECore
import BLEGAP
import BLEHCI
import BLEL2CAP
import CentralHost
import Simulation
import UnderstudyTesting

/// The accessory and the centrals of one case.
protocol CaseStage: AnyObject {
  var scenario: Scenario { get }
  /// The present time.
  var now: Instant { get }
  /// The events of the accessory; nil if the stage cannot see them.
  var accessoryEvents: [TestEvent]? { get }
  /// The position after the accessory's last expected event.
  var position: Int { get set }

  /// Returns the central with a name, and adds it at its first use.
  func phone(_ name: String) throws -> CasePhone
  /// Finds the accessory, and connects a central to it. The parameters are those of a link over LE.
  func connect(
    _ phone: CasePhone, _ transport: LinkTransport, _ parameters: LinkParameters
  ) throws -> ConnectionHandle
  /// Returns whether the accessory has sent an advertisement.
  func isOwn(_ advertisement: Advertisement) -> Bool
  /// Returns whether a device that an inquiry has found is the accessory.
  func isOwn(_ device: InquiredDevice) -> Bool
  /// Returns the handle of a characteristic's value in the accessory.
  func handle(of id: String) throws -> UInt16
  /// Returns the PSM of a channel; nil if it has none.
  func psm(of id: String, _ phone: CasePhone) -> SPSM?
  /// Stores the handles that a central discovered.
  func remember(_ found: RemoteDatabase, of phone: CasePhone)
  /// Returns a value in the format of its characteristic; nil if it has none.
  func decode(_ octets: [UInt8], of id: String) -> ProfileValue?
  /// Performs a step of the accessory or the air.
  func performOnAccessory(_ step: ScenarioStep) throws
  /// Lets this much time pass.
  func advance(by duration: Duration)
  /// Lets time pass until a condition holds, up to a limit. Returns whether it holds.
  func advance(until condition: () -> Bool, within limit: Duration) -> Bool
  /// Adds a line to the transcript.
  func note(_ who: String, _ text: String)
}

extension CaseStage {
  /// Returns octets in hexadecimal, with the decoded value if that adds information.
  func words(_ octets: [UInt8], of id: String?) -> String {
    let hexadecimal = "hex:\(octets.hexadecimal)"
    guard let id, let value = decode(octets, of: id), value != .string(octets.hexadecimal) else { return hexadecimal }
    return "\(hexadecimal) (\(value.jsonText))"
  }

  /// Returns an expected value: as octets, or decoded with its ranges.
  func words(_ expected: ExpectedValue, of id: String?) -> String {
    expected.withRanges?.jsonText ?? words(expected.octets, of: id)
  }
}

/// A central of a case, and its connection.
final class CasePhone {
  let central: ScriptedCentral
  /// Its events.
  let events: () -> [TestEvent]
  var link: ConnectionHandle?
  var channels: [String: ChannelID] = [:]
  /// The handles of the characteristics' values, as discovered last, on this link or an earlier one. A central that has not discovered
  /// uses the handles in the accessory's database.
  var handles: [String: UInt16]?
  /// The number of its notified and indicated values that steps have processed.
  var nextPushed = 0
  /// The number of its SDUs that steps have processed, by channel.
  var nextSDU: [String: Int] = [:]
  /// The number of its events that steps have processed.
  var nextEvent = 0

  init(_ central: ScriptedCentral, events: @escaping () -> [TestEvent]) {
    (self.central, self.events) = (central, events)
  }
}
