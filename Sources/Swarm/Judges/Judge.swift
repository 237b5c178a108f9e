import BLECore
import BLELink

/// A rule that must hold in every run. Each is in a file of its own, which says the rule and its place in the specification.
protocol Judge {
  /// Looks at what has happened in the last step.
  mutating func look(at events: [HostEvent], on stage: SwarmStage, findings: inout [Finding])
  /// Looks at what is left, after faults have ended and 60 s of good air.
  mutating func close(_ stage: SwarmStage, findings: inout [Finding])
}

extension Judge {
  mutating func close(_ stage: SwarmStage, findings: inout [Finding]) {}
}
