import BLECore
import BLELink
import BLESMP
import Simulation
import UnderstudyTesting

/// A pairing between two devices that follow the protocol does not fail in its cryptography (Core 5.4 Vol 3
/// Part H 3.5.5), because both use the same addresses, random numbers and passkey.
struct PairingJudge: Judge {
  let isFaulty: Bool
  /// Whether somebody has typed a passkey into the accessory. It may have been wrong.
  private var isTyped = false

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    for case .security(_, .asked(.passkey)) in events { isTyped = true }
    if isTyped { return }
    for central in stage.centrals where !central.hasSentByHand && central.kind != .hostile {
      for case .security(_, .failed(let reason, _)) in central.fresh {
        guard [.confirmValueFailed, .dhKeyCheckFailed].contains(reason) else { continue }
        findings.append(
          Finding("pairing", "\(central.name) and the accessory disagree: \(reason)", at: stage.simulation.now))
      }
    }
  }
}
