import AccessoryProfile
import BLECore

/// What has become of one case of a scenario.
package struct CaseResult: Sendable {
  /// The name of the scenario.
  package var scenario: String
  /// The name of the case, with its parameters.
  package var name: String
  /// The file of the scenario.
  package var file: String
  /// Why it has failed; nil when it has not.
  package var failure: CaseFailure?
  /// What happened, line by line, with the virtual time: the same in every run.
  package var transcript: [String]
  /// How long it took of virtual time.
  package var duration: Duration

  /// A result.
  package init(
    scenario: String, name: String, file: String, failure: CaseFailure?, transcript: [String] = [],
    duration: Duration = .zero
  ) {
    (self.scenario, self.name, self.file) = (scenario, name, file)
    (self.failure, self.transcript, self.duration) = (failure, transcript, duration)
  }

  /// Whether all steps did what they say.
  package var hasPassed: Bool { failure == nil }
}

/// Which step did not do what it says, and why.
package struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line in the scenario's file; 0 before the first step.
  package var line: Int
  /// The step.
  package var step: String
  /// What came of it.
  package var reason: String

  /// A failure of a step.
  package init(line: Int, step: String, reason: String) {
    (self.line, self.step, self.reason) = (line, step, reason)
  }

  /// Where and why, in one line.
  package var description: String { line == 0 ? reason : "line \(line), \(step): \(reason)" }
}
