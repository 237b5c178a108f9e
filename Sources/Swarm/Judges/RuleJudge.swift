import BLECore
import BLELink
import Simulation
import UnderstudyTesting

/// The expressions of a profile's rules can be computed, and their actions carried out. Checked only for
/// profiles written by people: a drawn one divides by zero.
struct RuleJudge: Judge {
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for event in stage.newEvents where event.name == "rule-failed" {
      let place = event["place"]?.string ?? "a rule"
      let reason = event["reason"]?.string ?? ""
      findings.append(Finding("rule", about: place, "\(place): \(reason)", at: stage.simulation.now))
    }
  }
}
