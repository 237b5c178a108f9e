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
  /// The failure; nil if no step failed.
  package var failure: CaseFailure?
  /// Why the case was skipped; nil if it ran.
  package var skipped: String?
  /// The events, line by line, with the virtual time. They are the same in every run.
  package var transcript: [String]
  /// The duration in virtual time.
  package var duration: Duration
  /// The hosts of its recorded packets; nil if none were recorded.
  package var recorded: RecordedHosts?

  /// Creates a result.
  package init(
    scenario: String, name: String, file: String, failure: CaseFailure?, transcript: [String] = [],
    duration: Duration = .zero
  ) {
    (self.scenario, self.name, self.file) = (scenario, name, file)
    (self.failure, self.transcript, self.duration) = (failure, transcript, duration)
  }

  /// Whether no step failed.
  package var hasPassed: Bool { failure == nil }
}

/// The hosts of a case, and the attributes of the accessory, which explain the recorded packets.
package struct RecordedHosts: Sendable {
  /// The names of the hosts, by the source of their records.
  package var names: [UInt32: String]
  /// The source of the accessory's records.
  package var accessory: UInt32
  /// The addresses of the accessory, 48 bits.
  package var addresses: [UInt64]
  /// The attributes of the accessory's characteristics, each with its id in the profile.
  package var attributes: [(handle: UInt16, type: BluetoothUUID, id: String, isDescriptor: Bool)]
}

/// A step that failed, and the reason.
package struct CaseFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The line in the scenario's file; 0 before the first step.
  package var line: Int
  /// The step.
  package var step: String
  /// The reason for the failure.
  package var reason: String
  /// What the step expected, and what came instead; nil if it does not compare.
  package var comparison: Comparison?
  /// The id of the step's characteristic or channel, if it has one.
  package var subject: String?
  /// The virtual time of the failure since the beginning of the case; nil if it could not begin.
  package var time: Duration?
  /// The faults that had fired, in order; nil if none were armed, or if the stage cannot see them.
  package var injected: [InjectedFault]?

  /// What a step expected, and what came instead.
  package struct Comparison: Hashable, Sendable {
    /// What the step expected.
    package var expected: String
    /// What came.
    package var actual: String

    /// Creates a comparison.
    package init(expected: String, actual: String) { (self.expected, self.actual) = (expected, actual) }
  }

  /// Creates a failure of a step.
  package init(line: Int, step: String, reason: String, comparison: Comparison? = nil, subject: String? = nil) {
    (self.line, self.step, self.reason) = (line, step, reason)
    (self.comparison, self.subject) = (comparison, subject)
  }

  /// The position and the reason, on one line.
  package var description: String { line == 0 ? reason : "line \(line), \(step): \(reason)" }

  /// The lines of a report about the faults that had fired; nil if none were armed, or if the stage cannot see them.
  package var injectedLines: [String]? { injected.map { InjectedFault.lines(of: $0) } }
}
