import AccessoryProfile
import BLECore
import BLEGATT
import BLELink
import PeripheralHost
import Simulation
import Understudy
import UnderstudyTesting

/// What is read over BR/EDR is what the model holds, which is the same as over LE (Core 5.4 Vol 3 Part G 2.1): the server has reported a
/// read of that value between the request and its answer.
struct ReadJudge: Judge {
  private let isFaulty: Bool
  private var read: [(handle: UInt16, value: [UInt8], at: Instant)] = []

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty, !stage.peers.isEmpty else { return }
    let (stack, now) = (stage.accessory.simulated.stack, stage.simulation.now)
    let reported = stack.server.database.characteristics.filter { stack.application.behavior(of: $0.index) != nil }
    for case .server(let link, .read(let index, let value)) in events where stage.transport(of: link) == .classic {
      guard let record = reported.first(where: { $0.index == index }) else { continue }
      read.append((record.value, value, now))
    }
    for peer in stage.peers where peer.bearersByHand.isEmpty {
      for answer in peer.answered {
        guard case .read(let handle) = answer.operation, case .value(let value) = answer.result,
          reported.contains(where: { $0.value == handle }), stage.servicesChanged.map({ $0 < answer.since }) ?? true
        else { continue }
        let isTrue = read.contains { $0.handle == handle && $0.at >= answer.since && $0.value.starts(with: value) }
        if isTrue { continue }
        findings.append(
          Finding(
            "value", "\(peer.name) has read \(value.hexadecimal) from \(handle), which the model does not hold", at: now
          )
        )
      }
    }
    read.removeAll { now - $0.at > .seconds(60) }
  }
}
