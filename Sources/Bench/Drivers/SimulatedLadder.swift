import AccessoryProfile
import BLECore
import BLEHCI
import BLELink
import CentralHost
import PeripheralHost
import Simulation
import Understudy
import VirtualRadio

/// The ladder on the virtual radio: every step on an air of its own, in virtual time.
package struct SimulatedLadder: Sendable {
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
    var random = SplitMix64(seed: seed)
    self.profile = profile.assigningPSMs(random: &random)
    self.seed = seed
  }

  /// Performs a step with that many octets.
  package func play(_ step: LadderStep, octets: Int) -> StepResult {
    do {
      return StepResult(step: step, outcome: .success(try send(Ladder.payload(octets, seed: seed), step)))
    } catch let failure as StepFailure {
      return StepResult(step: step, outcome: .failure(failure))
    } catch {
      return StepResult(step: step, outcome: .failure(StepFailure("\(error)")))
    }
  }

  private func send(_ payload: [UInt8], _ step: LadderStep) throws -> Transfer {
    let simulation = RadioSimulation(seed: seed)
    let accessory = try simulation.addAccessory(
      profile.hostConfiguration(seed: seed), application: ProfileRuntime(profile: profile, seed: seed),
      on: accessoryController)
    accessory.stack.reportsAccess = true
    try accessory.start()
    guard let address = accessory.stack.address else { throw StepFailure("the accessory has no address") }
    simulation.air.setDefaultImpairment(impairment)
    let central = SimulatedPlayer(
      try LadderCentral(step, payload: payload, to: address, type: accessory.stack.addressType),
      on: simulation.air.addController(configuration: centralController))
    simulation.add(central)
    central.start(at: simulation.now)
    var record = ArrivalRecord()
    simulation.run(
      until: {
        for event in accessory.events { record.take(event) }
        accessory.events.removeAll(keepingCapacity: true)
        return central.player.progress != .underWay
      }, limit: Self.limit)
    switch central.player.progress {
    case .underWay: throw StepFailure("not done after \(Self.limit) of virtual time")
    case .failed(let failure): throw failure
    case .sent(let transfer):
      let sink = record.channel.flatMap { accessory.stack.application.received(on: $0.id, of: $0.link.client) }
      if let fault = (Arrival(sink) ?? record.written).fault(comparedTo: Arrival(sending: payload)) { throw fault }
      return transfer
    case .over: throw StepFailure("the link ended")
    }
  }

  /// Longer than the first step takes for a megabyte if half of the packets are lost.
  private static let limit = Duration.seconds(24 * 3600)
}
