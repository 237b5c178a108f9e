import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Understudy
import VirtualRadio

/// Notifications by ATT MTU on the virtual radio: the accessory sends them whenever its controller has room,
/// and the central counts those it receives. Every row has an air of its own, in virtual time.
package struct NotificationLadder: Sendable {
  /// The accessory's profile.
  package var profile: Profile
  /// The seed for everything random.
  package var seed: UInt64
  /// The impairment of packets on the air.
  package var impairment = PathImpairment()
  /// The accessory's controller.
  package var accessoryController = ControllerConfiguration.full
  /// The central's controller.
  package var centralController = ControllerConfiguration.full

  /// Creates a ladder for the accessory of that profile.
  package init(_ profile: Profile, seed: UInt64 = 0) {
    self.profile = profile
    self.seed = seed
  }

  /// Measures a row until that many octets have arrived.
  package func play(_ rung: NotificationRung, octets: Int) -> NotificationResult {
    do {
      return NotificationResult(rung: rung, outcome: .success(try count(octets, rung)))
    } catch let failure as StepFailure {
      return NotificationResult(rung: rung, outcome: .failure(failure))
    } catch {
      return NotificationResult(rung: rung, outcome: .failure(StepFailure("\(error)")))
    }
  }

  private func count(_ octets: Int, _ rung: NotificationRung) throws -> NotificationFigures {
    let simulation = RadioSimulation(seed: seed)
    // Each side offers its own length, and the shorter one applies.
    var profile = profile
    profile.connection.dataLength = rung.link.dataLength
    let accessory = try simulation.addAccessory(
      profile.hostConfiguration(seed: seed), application: ProfileRuntime(profile: profile, seed: seed),
      on: accessoryController)
    try accessory.start()
    guard let address = accessory.stack.address else { throw StepFailure("the accessory has no address") }
    simulation.air.setDefaultImpairment(impairment)
    let central = try simulation.addCentral(
      CentralConfiguration(mtu: rung.link.mtu, dataLength: rung.link.dataLength), on: centralController)
    try central.start()
    let link = try central.connect(
      to: address, parameters: LinkParameters(interval: rung.link.interval, timeout: .seconds(4)))
    let mtu = rung.link.mtu > 23 ? try central.exchangeMTU(on: link) : 23
    guard let source = try central.discover(on: link).characteristic(LadderService.source) else {
      throw StepFailure("the accessory has no characteristic \(LadderService.source)")
    }
    try central.configure(source.value, .notification, on: link)
    guard simulation.run(until: { !central.pushed.isEmpty }, limit: .seconds(30)), let first = central.pushed.first
    else { throw StepFailure("no notification came") }
    let wanted = (octets + first.value.count - 1) / max(first.value.count, 1) + 1
    guard simulation.run(until: { central.pushed.count >= wanted }, limit: Self.limit), let last = central.pushed.last
    else { throw StepFailure("\(central.pushed.count) of \(wanted) notifications came in \(Self.limit)") }
    let shape = LinkShape(
      interval: rung.link.interval, mtu: mtu, dataLength: dataLength(central, link), phy: rung.link.phy)
    // The time begins with the first notification, so its octets do not count.
    let counted = central.pushed.dropFirst().reduce(0) { $0 + $1.value.count }
    let budget = LinkBudget(
      link: shape, method: .commands, octets: counted, unit: first.value.count, packetLength: shape.dataLength)
    return NotificationFigures(
      octets: counted, time: last.at - first.at, link: shape, limitKbps: budget.limitKbps)
  }

  /// The longest payload of data PDUs from the accessory.
  private func dataLength(_ central: ScriptedCentral, _ link: ConnectionHandle) -> Int {
    central.stack.linkStates.first { $0.handle == link }?.carriage.receiveLength ?? 27
  }

  /// Longer than the slowest row takes for a megabyte if half of the packets are lost.
  private static let limit = Duration.seconds(24 * 3600)
}
