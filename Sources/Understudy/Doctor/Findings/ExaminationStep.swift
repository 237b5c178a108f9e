/// The steps of an examination of a controller, in order.
public enum ExaminationStep: String, CaseIterable, Hashable, Sendable {
  /// Whether the port exists and may be opened.
  case port
  /// Whether ModemManager may write to the port.
  case modemManager = "modem-manager"
  /// The state of the modem lines.
  case modemLines = "modem-lines"
  /// The speed at which a controller answers.
  case speed
  /// Whether the second controller works.
  case listener
  /// Whether HCI_Reset is answered, without other octets around the answer.
  case synchronization
  /// The manufacturer and version of the controller.
  case firmware
  /// Whether the controller finds the next packet after a wrong octet.
  case resynchronization
  /// Extended advertising.
  case extendedAdvertising = "extended-advertising"
  /// LE 2M.
  case phy2M = "le-2m"
  /// LE Coded.
  case phyCoded = "le-coded"
  /// The number of advertising sets.
  case advertisingSets = "advertising-sets"
  /// The maximum advertising data of a set.
  case advertisingData = "advertising-data"
  /// The maximum length of packets on the air.
  case dataLength = "data-length"
  /// The controller's buffers for ACL packets.
  case aclBuffers = "acl-buffers"
  /// Whether equal commands, sent one at a time, get equal answers.
  case exchanges
  /// The time until an answer.
  case latency
  /// Whether long runs of octets arrive complete.
  case flowControl = "flow-control"
  /// The octets per second over the line.
  case throughput
  /// Legacy advertising: whether it can be enabled and is received.
  case legacyOnAir = "legacy-on-air"
  /// Extended advertising: whether it can be enabled and is received.
  case extendedOnAir = "extended-on-air"
  /// Whether the controller kept running.
  case stability
  /// The time until a write over a connection is answered.
  case linkLatency = "link-latency"
  /// The throughput of a channel over a connection.
  case linkThroughput = "link-throughput"
}

/// The verdict on a step.
public enum ExaminationVerdict: String, Hashable, Sendable, Comparable {
  /// Not examined, or not applicable.
  case skipped
  /// As it should be.
  case ok
  /// Works, but something is missing or slow.
  case warning
  /// Does not work.
  case failed

  private var rank: Int {
    switch self {
    case .skipped: 0
    case .ok: 1
    case .warning: 2
    case .failed: 3
    }
  }

  /// Whether the verdict on the left is milder.
  public static func < (left: ExaminationVerdict, right: ExaminationVerdict) -> Bool { left.rank < right.rank }
}

/// The finding of a step.
public struct StepFinding: Hashable, Sendable {
  /// The step.
  public var step: ExaminationStep
  /// What was observed.
  public var observation: Observation

  /// The verdict on the observation.
  public var verdict: ExaminationVerdict { observation.verdict }

  /// Creates the finding of a step.
  public init(_ step: ExaminationStep, _ observation: Observation) {
    self.step = step
    self.observation = observation
  }
}

/// All findings of an examination, in the order of the steps.
public struct ExaminationReport: Hashable, Sendable {
  /// The findings, one for each step.
  public var findings: [StepFinding]

  /// Creates a report from the findings in any order. Steps without a finding count as `skipped`.
  init(_ findings: [StepFinding]) {
    self.findings = ExaminationStep.allCases.map { step in
      findings.first { $0.step == step } ?? StepFinding(step, .skipped(.noController))
    }
  }

  /// Returns the report with the finding of one step replaced.
  public func replacing(_ finding: StepFinding) -> ExaminationReport {
    ExaminationReport(findings.filter { $0.step != finding.step } + [finding])
  }

  /// The worst of all verdicts.
  public var verdict: ExaminationVerdict { findings.map(\.verdict).max() ?? .skipped }

  /// Whether there is a controller that answers.
  public var isControllerThere: Bool {
    self[.port]?.verdict != .failed && self[.speed]?.verdict != .failed && self[.synchronization]?.verdict != .failed
  }

  /// The finding of a step.
  public subscript(step: ExaminationStep) -> StepFinding? { findings.first { $0.step == step } }
}
