import AccessoryProfile
import BLECore

/// What has become of one case of a scenario.
public struct CaseResult: Sendable {
  /// The name of the scenario.
  public var scenario: String
  /// The name of the case, with its parameters.
  public var name: String
  /// The file of the scenario.
  public var file: String
  /// Why it has failed; nil when it has not.
  public var failure: CaseFailure?
  /// What happened, line by line, with the virtual time: the same in every run.
  public var transcript: [String]
  /// How long it took of virtual time.
  public var duration: Duration

  /// Whether all steps did what they say.
  public var hasPassed: Bool { failure == nil }
}

/// Which step did not do what it says, and why.
public struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line in the scenario's file; 0 before the first step.
  public var line: Int
  /// The step.
  public var step: String
  /// What came of it.
  public var reason: String

  /// A failure of a step.
  public init(line: Int, step: String, reason: String) {
    (self.line, self.step, self.reason) = (line, step, reason)
  }

  /// Where and why, in one line.
  public var description: String { line == 0 ? reason : "line \(line), \(step): \(reason)" }
}
