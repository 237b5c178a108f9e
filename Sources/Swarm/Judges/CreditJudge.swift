import BLECore
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import UnderstudyTesting

/// Nobody has more credits on a channel than the other side has given (Core 5.4 Vol 3 Part A 10.1): those that
/// are on the way make it fewer.
struct CreditJudge: Judge {
  let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty, !stage.plan.hasLineTrouble else { return }
    let theirs = stage.accessory.simulated.stack.linkStates.flatMap(\.channels)
    guard !theirs.isEmpty else { return }
    for central in stage.centrals where !central.hasSentByHand && central.kind != .hostile {
      for channel in central.host.stack.linkStates.flatMap(\.channels) where channel.isOpen {
        // A channel of another central can have the same CIDs.
        let others = theirs.filter { $0.isOpen && $0.id == channel.remote && $0.remote == channel.id }
        guard others.count == 1, let other = others.first else { continue }
        for (who, has, given) in [
          (central.name, channel.sendCredits, other.receiveCredits),
          ("the accessory", other.sendCredits, channel.receiveCredits),
        ] where has > given {
          findings.append(
            Finding(
              "credits", "\(who) has \(has) credits on a channel to \(channel.psm), but was given \(given)",
              at: stage.simulation.now))
        }
      }
    }
  }
}
