import BLECore
import BLEGATT
import BLELink
import Simulation
import UnderstudyTesting
import VirtualRadio

/// The controller has no complaint about what the host sends (Core 5.4 Vol 4 Part E 4), and the centrals' hosts have none about the
/// server, unless faults are armed.
struct WireJudge: Judge {
  private let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty, !stage.plan.hasLineTrouble else { return }
    for central in stage.centrals where central.kind != .hostile {
      for case .client(_, .violation(let violation)) in central.fresh {
        // What a central sends by hand is answered to a client that did not ask.
        if case .unexpectedResponse = violation, central.hasSentByHand { continue }
        findings.append(Finding("wire", "\(central.name) was sent \(violation)", at: stage.simulation.now))
      }
      guard !central.hasSentByHand else { continue }
      for case .channel(_, .closed(_, let psm, .violation(let violation), _)) in central.fresh {
        findings.append(
          Finding(
            "wire", "\(central.name) closed a channel to \(psm) for \(violation)", at: stage.simulation.now))
      }
    }
  }

  mutating func close(_ stage: SwarmStage, findings: inout [Finding]) {
    let hasRestarts = stage.plan.owner.contains { if case .restartController = $0.act { true } else { false } }
    let isCut = hasRestarts || stage.plan.hasLineTrouble
    for fault in stage.simulation.air.takeHostFaults(of: stage.accessory.simulated.controller) {
      switch fault {
      // A host cannot know of a restart, or of what a line has lost or held up, before it has asked.
      case .dataForUnknownConnection, .buffersOfUnknownConnection, .tooManyBuffersReturned, .commandBeforeAnswer,
        .strayOctets:
        if isCut || isFaulty { continue }
      default: break
      }
      findings.append(Finding("wire", "the controller complains: \(fault)"))
    }
  }
}
