import BLECore

/// What came of a step.
public struct StepResult: Sendable {
  /// The step.
  public var step: LadderStep
  /// The figures, or why there are none.
  public var outcome: Result<Transfer, StepFailure>

  /// What came of a step.
  public init(step: LadderStep, outcome: Result<Transfer, StepFailure>) {
    self.step = step
    self.outcome = outcome
  }

  /// The figures; nil for a step that failed.
  public var transfer: Transfer? { try? outcome.get() }
}

/// Why a step has no figures.
public struct StepFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, for people.
  public var reason: String

  /// A failure for that reason.
  public init(_ reason: String) { self.reason = reason }

  public var description: String { reason }
}

/// A payload that has gone over a link: all of it is acknowledged.
public struct Transfer: Hashable, Sendable {
  /// Its octets.
  public var octets: Int
  /// From the first packet on the air to the last acknowledgement, as the central's host can tell.
  public var time: Duration
  /// The link as it was.
  public var link: LinkShape
  /// How many octets one value or SDU had.
  public var unit: Int
  /// How many data PDUs a connection event carried in the mean; those that had to be sent again are not counted.
  public var packetsPerEvent: Double
  /// What the link layer allows, in kbit/s of payload.
  public var limitKbps: Double
  /// The share of connection events that the accessory's controller missed because the one before was full, 0...1.
  public var missedEvents = 0.0
  /// What held it up.
  public var bound: ThroughputBound
  /// How long each answer took, where there are any: of Write Requests.
  public var answers: [Duration] = []
  /// Where the link was not as wanted.
  public var notes: [String]

  /// The throughput, in kbit/s of payload.
  public var kbps: Double { LinkBudget.kbps(octets, in: time) }

  /// How much of what the link layer allows that is, in percent.
  public var percent: Double { kbps / limitKbps * 100 }
}

/// What has come in at the accessory.
public struct Arrival: Hashable, Sendable {
  /// How many octets.
  public var octets: Int
  /// Their SHA-256.
  public var sha256: [UInt8]

  /// What is wrong with it, compared with what was sent; nil when all octets arrived as they were.
  func fault(comparedTo sent: Arrival) -> StepFailure? {
    guard octets == sent.octets else { return StepFailure("\(octets) of \(sent.octets) octets arrived") }
    return sha256 == sent.sha256 ? nil : StepFailure("all octets arrived, but not as they were sent")
  }
}
