import BLECore
import BLEGATT
import BLELink
import Simulation
import UnderstudyTesting
import VirtualRadio

/// The controller finds no error in the host's packets (Core 5.4 Vol 4 Part E 4), and the centrals' hosts
/// find none in the server's PDUs, unless faults are armed.
struct WireJudge: Judge {
  private let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty, !stage.plan.hasLineTrouble else { return }
    for central in stage.centrals where central.kind != .hostile {
      for case .client(_, .violation(let violation)) in central.fresh {
        // The central's own client does not know of PDUs that were sent by hand: neither their answers, nor a changed MTU.
        switch violation {
        case .unexpectedResponse, .malformed: if central.hasSentByHand { continue }
        default: break
        }
        findings.append(Finding("wire", "\(central.name) was sent \(violation)", at: stage.simulation.now))
      }
      guard !central.hasSentByHand else { continue }
      for case .channel(_, .closed(_, let psm, .violation(let violation), _)) in central.fresh {
        findings.append(
          Finding(
            "wire", "\(central.name) closed a channel to \(psm) because of \(violation)", at: stage.simulation.now))
      }
    }
  }

  mutating func close(_ stage: SwarmStage, findings: inout [Finding]) {
    let hasRestarts = stage.plan.owner.contains { if case .restartController = $0.act { true } else { false } }
    let isCut = hasRestarts || stage.plan.hasLineTrouble
    for fault in stage.simulation.air.takeHostFaults(of: stage.accessory.simulated.controller) {
      switch fault {
      // A host learns of a restart, or of packets that a line has lost or delayed, only when it asks the controller.
      case .dataForUnknownConnection, .buffersOfUnknownConnection, .tooManyBuffersReturned, .commandBeforeAnswer,
        .strayOctets:
        if isCut || isFaulty { continue }
      // A host cannot tell a doubled report of completed packets from two reports, and does not know of a doubled packet in a buffer.
      case .dataBufferOverflow: if stage.plan.doublesPackets { continue }
      default: break
      }
      findings.append(Finding("wire", "the controller found an error: \(fault)"))
    }
  }
}
