import BLECore
import BLEL2CAP
import BLELink
import PeripheralHost
import Simulation
import UnderstudyTesting

/// Neither side of a channel has more credits than the other side has given (Core 5.4 Vol 3 Part A 10.1). It may have fewer while
/// credits are on their way.
struct CreditJudge: Judge {
  let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty, !stage.plan.hasLineTrouble else { return }
    let links = stage.accessory.simulated.stack.linkStates
    guard !links.isEmpty else { return }
    for central in stage.centrals where !central.hasSentByHand && central.kind != .hostile {
      // A central that has come back has two links for a while.
      let own = links.filter { ($0.details.peerOnAir ?? $0.details.peer) == central.host.stack.address }
      guard own.count == 1, let link = own.first else { continue }
      for channel in central.host.stack.linkStates.flatMap(\.channels) where channel.isOpen {
        guard
          let other = link.channels.first(where: { $0.isOpen && $0.id == channel.remote && $0.remote == channel.id })
        else { continue }
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
