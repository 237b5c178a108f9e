import BLECore
import BLEL2CAP
import BLELink
import Simulation

/// What a peer over BR/EDR gets follows the rules of its channels: nothing on channels that it does not have (Core 5.4 Vol 3 Part A 2.1), no
/// SDU longer than its MTU (5.1), and one request and one indication at a time (Part F 3.3.2). An ATT PDU comes only on an encrypted link
/// (Part C 5.2.2.8), and never an Exchange MTU Response (Part G 4.3.1).
struct ClassicWireJudge: Judge {
  private let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    let now = stage.simulation.now
    for peer in stage.peers {
      func find(_ rule: String, _ text: String) {
        findings.append(Finding(rule, "\(peer.name) was sent \(text)", at: now))
      }
      for pdu in peer.received {
        switch pdu.place {
        case .attribute:
          if !pdu.isEncrypted { find("security", "\(pdu.octets.hexadecimal) on a link without encryption") }
          if pdu.octets.first == 0x03 { find("wire", "an Exchange MTU Response") }
        // The accessory may answer channels that were opened by hand.
        case .other(let channel) where channel.isClassicDynamic && peer.hasSentByHand: break
        case .other(let channel): find("wire", "\(pdu.octets.hexadecimal) on channel \(channel.rawValue)")
        case .discovery, .security: break
        }
      }
      for case (let psm, .sduTooLong(let count)) in peer.closed {
        find("wire", "\(count) octets on its channel to \(psm), which takes fewer")
      }
      guard !isFaulty, !stage.plan.hasLineTrouble else { continue }
      for text in peer.findings { find("wire", text) }
    }
  }
}
