import BLECore
import BLEGATT
import BLELink
import Simulation
import UnderstudyTesting

/// A write that was answered with success was made (Core 5.4 Vol 3 Part F 3.4.5.1, 3.4.6.3): the server has
/// reported it between the request and its answer.
struct AnswerJudge: Judge {
  let isFaulty: Bool
  private var written: [(value: [UInt8], handle: UInt16, at: Instant)] = []

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    guard !isFaulty else { return }
    let stack = stage.accessory.simulated.stack
    let (now, database) = (stage.simulation.now, stack.server.database)
    for event in events {
      switch event {
      case .server(_, .written(let index, let value)): written.append((value, database[index].value, now))
      // Handles now identify other attributes, and earlier requests no longer count.
      case .databaseChanged, .controllerReady: written = []
      default: break
      }
    }
    for central in stage.centrals {
      for answer in central.answered {
        guard case .write(let handle, let value) = answer.operation,
          // The answer may be to a PDU that was not sent by the client.
          answer.bearer.map({ !central.bearersByHand.contains($0) }) ?? central.bearersByHand.isEmpty,
          let index = database.characteristics.first(where: { $0.value == handle })?.index,
          stack.application.behavior(of: index) != nil
        else { continue }
        let isThere = written.contains { $0.handle == handle && $0.value == value && $0.at >= answer.since }
        if !isThere {
          findings.append(
            Finding(
              "answer",
              "\(central.name) got the answer that \(value.hexadecimal) was written to \(handle), but it was not",
              at: now))
        }
      }
    }
    // No transaction takes longer (Core 5.4 Vol 3 Part F 3.3.3).
    written.removeAll { now - $0.at > .seconds(60) }
  }
}
