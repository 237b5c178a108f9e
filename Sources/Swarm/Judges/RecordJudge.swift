import BLECore
import BLELink
import Simulation

/// A Record Access Control Point that reports success has sent as many records as it had announced
/// (Glucose Service 1.0.1 3.4.2.1).
struct RecordJudge: Judge {
  private let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for central in stage.centrals {
      for count in central.takeRecordCounts() where !isFaulty {
        guard let expected = count.expected, count.came < expected else { continue }
        findings.append(
          Finding(
            "records", "\(central.name) was promised \(expected) records and got success, but received \(count.came)",
            at: stage.simulation.now))
      }
    }
  }
}
