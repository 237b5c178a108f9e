import BLECore

/// What came of a step.
package struct StepResult: Sendable {
  /// The step.
  package var step: LadderStep
  /// The figures, or why there are none.
  package var outcome: Result<Transfer, StepFailure>

  /// What came of a step.
  package init(step: LadderStep, outcome: Result<Transfer, StepFailure>) {
    self.step = step
    self.outcome = outcome
  }

  /// The figures; nil for a step that failed.
  package var transfer: Transfer? { try? outcome.get() }
}

/// Why a step has no figures.
package struct StepFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, for people.
  package var reason: String

  /// A failure for that reason.
  package init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}

/// A payload that has gone over a link: all of it is acknowledged.
package struct Transfer: Hashable, Sendable {
  /// Its octets.
  package var octets: Int
  /// From the first packet on the air to the last acknowledgement, as the central's host can tell.
  package var time: Duration
  /// The link as it was.
  package var link: LinkShape
  /// How many octets one value or SDU had.
  package var unit: Int
  /// How many data PDUs a connection event carried in the mean; those that had to be sent again are not counted.
  package var packetsPerEvent: Double
  /// What the link layer allows, in kbit/s of payload.
  package var limitKbps: Double
  /// The share of connection events that the accessory's controller missed because the one before was full, 0...1.
  package var missedEvents = 0.0
  /// What held it up.
  package var bound: ThroughputBound
  /// How long each answer took, where there are any: of Write Requests.
  package var answers: [Duration] = []
  /// Where the link was not as wanted.
  package var notes: [String]

  /// The throughput, in kbit/s of payload.
  package var kbps: Double { LinkBudget.kbps(octets, in: time) }

  /// How much of what the link layer allows that is, in percent.
  package var percent: Double { kbps / limitKbps * 100 }
}

/// What has come in at the accessory.
package struct Arrival: Hashable, Sendable {
  /// How many octets.
  package var octets: Int
  /// Their SHA-256.
  package var sha256: [UInt8]

  /// What is wrong with it, compared with what was sent; nil when all octets arrived as they were.
  func fault(comparedTo sent: Arrival) -> StepFailure? {
    guard octets == sent.octets else { return StepFailure("\(octets) of \(sent.octets) octets arrived") }
    return sha256 == sent.sha256 ? nil : StepFailure("all octets arrived, but not as they were sent")
  }
}
