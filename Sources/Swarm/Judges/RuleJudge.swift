import BLECore
import BLELink
import Simulation
import UnderstudyTesting

/// What a profile's rules want can be computed and done. Only of a profile that somebody has written: a drawn one divides by zero.
struct RuleJudge: Judge {
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding]) {
    for event in stage.newEvents where event.name == "rule-failed" {
      let place = event["place"]?.string ?? "a rule"
      let reason = event["reason"]?.string ?? ""
      findings.append(Finding("rule", about: place, "\(place): \(reason)", at: stage.simulation.now))
    }
  }
}
