import AccessoryProfile

/// What happened in a run, for people who look for the cause of a failure: cases with their steps, events and packets, or a capture.
package struct RunReport: Sendable {
  /// The maximum number of packets in all cases of a report together.
  package static let packetLimit = 10_000

  /// The title of the page.
  package var title: String
  /// The program that made it, with its version.
  package var maker: String
  /// The cases; those that failed come first on the page.
  package var cases: [ReportedCase]

  /// Creates a report.
  package init(title: String, maker: String, cases: [ReportedCase]) {
    (self.title, self.maker, self.cases) = (title, maker, cases)
  }

  /// Returns the maximum number of packets for each of several cases, so that all together stay within the limit.
  package static func packetShare(cases: Int) -> Int { packetLimit / max(1, cases) }
}

/// A case of a scenario, or a capture, in a report.
package struct ReportedCase: Sendable {
  /// How it ended.
  package enum Outcome: Sendable {
    /// No step failed.
    case passed
    /// A step failed.
    case failed(Failure)
    /// The case was skipped; with the reason.
    case skipped(String)
    /// It is a capture, which expects nothing.
    case recorded
  }

  /// The step that failed.
  package struct Failure: Sendable {
    /// The line in the scenario's file; 0 before the first step.
    package var line: Int
    /// The step.
    package var step: String
    /// The reason.
    package var reason: String
    /// What it expected; nil if it does not compare.
    package var expected: String?
    /// What came instead; nil if it does not compare.
    package var actual: String?
    /// When it failed, in nanoseconds since the beginning of the case; nil if unknown.
    package var time: Int64?
    /// The faults that had fired, one per line; nil if none were armed, or if the run could not see them.
    package var injected: [String]?

    /// Creates a failure.
    package init(line: Int, step: String, reason: String, expected: String? = nil, actual: String? = nil) {
      (self.line, self.step, self.reason) = (line, step, reason)
      (self.expected, self.actual) = (expected, actual)
    }
  }

  /// The scenario; empty for a capture.
  package var scenario = ""
  /// The name of the case, or of the capture.
  package var name: String
  /// The file.
  package var file: String
  /// How it ended.
  package var outcome: Outcome
  /// The duration, in nanoseconds.
  package var duration: Int64 = 0
  /// The wall clock at its time zero: nanoseconds since 1970-01-01 00:00 UTC.
  package var epoch: Int64 = 0
  /// Whether its times are times of day. Otherwise they are virtual.
  package var hasTimesOfDay = false
  /// Steps and events, in order.
  package var moments: [Moment] = []
  /// The lines of the scenario around the failed step.
  package var scenarioText: Excerpt?
  /// The lines of the profile around the characteristic of the failed step.
  package var profileText: Excerpt?
  /// Its packets; nil if none were recorded.
  package var track: PacketTrack?

  /// Creates a case.
  package init(name: String, file: String, outcome: Outcome) {
    (self.name, self.file, self.outcome) = (name, file, outcome)
  }

  /// Whether it failed.
  package var hasFailed: Bool { if case .failed = outcome { true } else { false } }
}
