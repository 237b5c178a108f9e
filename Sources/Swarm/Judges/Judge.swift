import BLECore
import BLELink

/// A rule that must hold in every run. Each judge has its own file, which states the rule and cites the specification.
protocol Judge {
  /// Checks the events of the last step.
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding])
  /// Checks the final state, after faults have ended and the air has been good for 60 s.
  mutating func close(_ stage: SwarmStage, findings: inout [Finding])
}

extension Judge {
  mutating func close(_ stage: SwarmStage, findings: inout [Finding]) {}
}
