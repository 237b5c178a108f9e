import BLELink
import PeripheralHost

/// A check of what the accessory's host reports, which finds what is wrong because nothing has caused it.
struct AccessoryReports {
  /// Whether its controller has restarted and the host has not reported it yet.
  private var isRestartDue = false

  /// Notes that its controller restarts now.
  mutating func controllerRestarts() { isRestartDue = true }

  /// Returns what is wrong with a report of the host; nil when the report is as expected.
  mutating func objection(to event: HostEvent) -> String? {
    switch event {
    case .controllerFailed(let failure): return "the accessory's controller cannot be used: \(failure)"
    case .fault(.controllerRestarted(let reason)):
      defer { isRestartDue = false }
      return isRestartDue ? nil : "the accessory's controller was restarted: \(reason)"
    // When a link ends, confirmations may be missing.
    case .fault(.transactionTimeout): return nil
    case .fault(let fault): return "the accessory reports \(fault)"
    default: return nil
    }
  }
}
