import BLECore
import BLELink
import Simulation
import UnderstudyTesting

/// The accessory can compute the expressions of its profile's rules, and perform their actions. This is checked only for
/// profiles written by people, because a drawn profile may divide by zero.
struct RuleJudge: Judge {
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for event in stage.newEvents where event.name == "rule-failed" {
      let place = event["place"]?.string ?? "a rule"
      let reason = event["reason"]?.string ?? ""
      findings.append(Finding("rule", about: place, "\(place): \(reason)", at: stage.simulation.now))
    }
  }
}
