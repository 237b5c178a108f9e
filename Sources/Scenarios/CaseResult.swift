import AccessoryProfile
import BLECore

/// The result of one case of a scenario.
package struct CaseResult: Sendable {
  /// The name of the scenario.
  package var scenario: String
  /// The name of the case, with its parameters.
  package var name: String
  /// The file of the scenario.
  package var file: String
  /// The reason for its failure; nil if it has passed.
  package var failure: CaseFailure?
  /// Why it was not run; nil if it was.
  package var skipped: String?
  /// The events, line by line, with the virtual time. They are the same in every run.
  package var transcript: [String]
  /// The duration in virtual time.
  package var duration: Duration

  /// Creates a result.
  package init(
    scenario: String, name: String, file: String, failure: CaseFailure?, transcript: [String] = [],
    duration: Duration = .zero
  ) {
    (self.scenario, self.name, self.file) = (scenario, name, file)
    (self.failure, self.transcript, self.duration) = (failure, transcript, duration)
  }

  /// Whether all steps succeeded.
  package var hasPassed: Bool { failure == nil }
}

/// A step that failed, and the reason.
package struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line in the scenario's file; 0 before the first step.
  package var line: Int
  /// The step.
  package var step: String
  /// The reason for the failure.
  package var reason: String

  /// Creates a failure of a step.
  package init(line: Int, step: String, reason: String) {
    (self.line, self.step, self.reason) = (line, step, reason)
  }

  /// The position and the reason, on one line.
  package var description: String { line == 0 ? reason : "line \(line), \(step): \(reason)" }
}
