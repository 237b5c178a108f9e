import BLECore
import BLEHCI
import BLELink
import PeripheralHost
import Simulation
import UnderstudyTesting

/// Everything that a peer can make grow is bounded: links, bonds, packets, and over BR/EDR channels, sessions of Service Discovery and
/// channels that wait for encryption.
struct BoundsJudge: Judge {
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !events.isEmpty else { return }
    let stack = stage.accessory.simulated.stack
    // The identities of the centrals and of the last visitor, and those that the owner has added.
    let identities = stage.plan.centrals.count + stage.plan.peers.count + 1 + stage.addedIdentities.count
    if stack.bonds.count > identities {
      findings.append(
        Finding("bounds", "\(stack.bonds.count) bonds with \(identities) identities", at: stage.simulation.now))
    }
    if stack.load.packets > 64 {
      findings.append(
        Finding("bounds", "\(stack.load.packets) packets are with the controller", at: stage.simulation.now))
    }
    // Four channels of Service Discovery and one of ATT.
    for link in stack.linkStates {
      guard let load = stack.classicLoad(of: link.handle) else { continue }
      if load.channels > 5 || load.sessions > load.channels || load.waiting > load.channels {
        findings.append(Finding("bounds", "a link over BR/EDR holds \(load)", at: stage.simulation.now))
      }
    }
  }
}
