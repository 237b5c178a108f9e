import BLECore
import BLEGATT
import BLEHCI
import BLELink
import Simulation
import UnderstudyTesting

/// The values that a server sends arrive once and in order (Core 5.4 Vol 3 Part F 3.4.7, Vol 6
/// Part B 4.5.9). Only the last ones may be lost, when the link ends. The judge checks runs with a single
/// central, so that it cannot confuse links.
struct DeliveryJudge: Judge {
  let isFaulty: Bool
  /// The values that were sent on the current link and have not arrived, in order.
  private var sent: [(handle: UInt16, value: [UInt8])] = []

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty, stage.centrals.count == 1, let central = stage.centrals.first, central.visits == 0,
      !central.hasSentByHand
    else { return }
    let database = stage.accessory.simulated.stack.server.database
    for event in events {
      switch event {
      case .connected(_, let details) where details.transport == .classic: break
      case .connected, .controllerReady, .databaseChanged: sent = []
      case .notified(let link, let index, let value), .indicated(let link, let index, let value):
        guard stage.transport(of: link) == .le else { continue }
        sent.append((database[index].value, value))
      default: break
      }
    }
    for event in central.fresh {
      guard case .client(_, let came) = event else { continue }
      switch came {
      case .notification(let handle, let value), .indication(let handle, let value):
        // Values on different bearers can overtake each other, but the values of one characteristic stay in order.
        guard let place = sent.firstIndex(where: { $0.handle == handle }) else { continue }
        let expected = sent.remove(at: place).value
        guard !expected.starts(with: value) else { continue }
        findings.append(
          Finding(
            "delivery", "\(central.name) got \(value.hexadecimal) of \(handle), but \(expected.hexadecimal) was next",
            at: stage.simulation.now))
      default: break
      }
    }
  }
}
