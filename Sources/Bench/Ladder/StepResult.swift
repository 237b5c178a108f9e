import BLECore

/// The result of a step.
package struct StepResult: Sendable {
  /// The step.
  package var step: LadderStep
  /// The figures, or why there are none.
  package var outcome: Result<Transfer, StepFailure>

  /// Creates the result of a step.
  package init(step: LadderStep, outcome: Result<Transfer, StepFailure>) {
    self.step = step
    self.outcome = outcome
  }

  /// The figures; nil if the step failed.
  package var transfer: Transfer? { try? outcome.get() }
}

/// Why a step has no figures.
package struct StepFailure: Error, Hashable, Sendable, CustomStringConvertible {
  /// The reason, for people.
  package var reason: String

  /// Creates a failure with that reason.
  package init(_ reason: String) { self.reason = reason }

  package var description: String { reason }
}

/// A completed transfer over a link: all of the payload is acknowledged.
package struct Transfer: Hashable, Sendable {
  /// The octets of the payload.
  package var octets: Int
  /// The time from the first packet on the air to the last acknowledgement, as measured by the central's host.
  package var time: Duration
  /// The actual link.
  package var link: LinkShape
  /// The octets of one value or SDU.
  package var unit: Int
  /// The average number of data PDUs in a connection event, without retransmissions.
  package var packetsPerEvent: Double
  /// The maximum throughput that the link layer allows, in kbit/s of payload.
  package var limitKbps: Double
  /// The share of connection events that the accessory's controller missed because the previous one was full, 0...1.
  package var missedEvents = 0.0
  /// What limited the throughput.
  package var bound: ThroughputBound
  /// The time until each answer, for Write Requests.
  package var answers: [Duration] = []
  /// How the link differs from the wanted one.
  package var notes: [String]

  /// The throughput, in kbit/s of payload.
  package var kbps: Double { LinkBudget.kbps(octets, in: time) }

  /// The percentage of the maximum that the link layer allows.
  package var percent: Double { kbps / limitKbps * 100 }
}

/// What has arrived at the accessory.
package struct Arrival: Hashable, Sendable {
  /// The number of octets.
  package var octets: Int
  /// Their SHA-256.
  package var sha256: [UInt8]

  /// Returns how it differs from what was sent; nil if all octets arrived unchanged.
  func fault(comparedTo sent: Arrival) -> StepFailure? {
    guard octets == sent.octets else { return StepFailure("\(octets) of \(sent.octets) octets arrived") }
    return sha256 == sent.sha256 ? nil : StepFailure("all octets arrived, but not as they were sent")
  }
}
