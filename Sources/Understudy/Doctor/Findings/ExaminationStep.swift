/// What is looked at when a controller is examined, in order.
public enum ExaminationStep: String, CaseIterable, Hashable, Sendable {
  /// Whether the port is there and may be opened.
  case port
  /// Whether ModemManager may write to the port.
  case modemManager = "modem-manager"
  /// What the lines beside the data say.
  case modemLines = "modem-lines"
  /// At which speed somebody answers.
  case speed
  /// Whether the second controller listens.
  case listener
  /// Whether HCI_Reset is answered, and nothing stands around the answer.
  case synchronization
  /// Who made the controller, and which version it is.
  case firmware
  /// Whether the controller finds its place again behind a wrong octet.
  case resynchronization
  /// Extended advertising.
  case extendedAdvertising = "extended-advertising"
  /// LE 2M.
  case phy2M = "le-2m"
  /// LE Coded.
  case phyCoded = "le-coded"
  /// How many advertising sets there are.
  case advertisingSets = "advertising-sets"
  /// How much data a set holds.
  case advertisingData = "advertising-data"
  /// How long packets on the air may be.
  case dataLength = "data-length"
  /// What the controller holds for its host.
  case aclBuffers = "acl-buffers"
  /// Whether equal commands get equal answers, one at a time.
  case exchanges
  /// How long an answer takes.
  case latency
  /// Whether long runs of octets arrive whole.
  case flowControl = "flow-control"
  /// How many octets pass in a second.
  case throughput
  /// Legacy advertising, enabled and heard.
  case legacyOnAir = "legacy-on-air"
  /// Extended advertising, enabled and heard.
  case extendedOnAir = "extended-on-air"
  /// Whether the controller kept running.
  case stability
  /// How long a write takes that is answered over a connection.
  case linkLatency = "link-latency"
  /// How much a channel carries over a connection.
  case linkThroughput = "link-throughput"
}

/// How a step came out.
public enum ExaminationVerdict: String, Hashable, Sendable, Comparable {
  /// It could not be looked at, or does not apply.
  case skipped
  /// As it should be.
  case ok
  /// It works, with something missing or slow.
  case warning
  /// It does not work.
  case failed

  private var rank: Int {
    switch self {
    case .skipped: 0
    case .ok: 1
    case .warning: 2
    case .failed: 3
    }
  }

  /// Whether the verdict on the left is the milder one.
  public static func < (left: ExaminationVerdict, right: ExaminationVerdict) -> Bool { left.rank < right.rank }
}

/// What a step has found.
public struct StepFinding: Hashable, Sendable {
  /// The step.
  public var step: ExaminationStep
  /// What was seen.
  public var observation: Observation

  /// How it came out.
  public var verdict: ExaminationVerdict { observation.verdict }

  /// That observation in that step.
  public init(_ step: ExaminationStep, _ observation: Observation) {
    self.step = step
    self.observation = observation
  }
}

/// All findings of an examination, in the order of the steps.
public struct ExaminationReport: Hashable, Sendable {
  /// One for each step.
  public var findings: [StepFinding]

  /// The findings as they came, and `skipped` for the steps without one.
  init(_ findings: [StepFinding]) {
    self.findings = ExaminationStep.allCases.map { step in
      findings.first { $0.step == step } ?? StepFinding(step, .skipped(.noController))
    }
  }

  /// The report with a finding in place of the one that its step has.
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
