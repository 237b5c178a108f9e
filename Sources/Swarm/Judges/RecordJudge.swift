import BLECore
import BLELink
import Simulation

/// A Record Access Control Point that answers a report with success has sent each record, as many as it has said that there are
/// (Glucose Service 1.0.1 3.4.2.1): each value queued arrives once, before what was queued after it.
struct RecordJudge: Judge {
  private let isFaulty: Bool

  init(isFaulty: Bool) { self.isFaulty = isFaulty }

  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for central in stage.centrals {
      for count in central.takeRecordCounts() where !isFaulty {
        guard let expected = count.expected, count.came < expected else { continue }
        findings.append(
          Finding(
            "records", "\(central.name) was newEvents of \(expected) records and of success, and got \(count.came)",
            at: stage.simulation.now))
      }
    }
  }
}
