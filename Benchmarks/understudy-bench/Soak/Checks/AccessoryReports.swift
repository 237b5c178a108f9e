import BLELink
import PeripheralHost

/// Finds what the accessory's host reports although nothing of the kind was done to it.
struct AccessoryReports {
  /// Whether its controller has restarted, which it has not said yet.
  private var isRestartDue = false

  /// Its controller restarts now.
  mutating func controllerRestarts() { isRestartDue = true }

  /// What is wrong with what it reports; nil for what belongs to a sound life.
  mutating func objection(to event: HostEvent) -> String? {
    switch event {
    case .controllerFailed(let failure): return "the accessory's controller cannot be used: \(failure)"
    case .fault(.controllerRestarted(let reason)):
      defer { isRestartDue = false }
      return isRestartDue ? nil : "the accessory's controller was restarted: \(reason)"
    // Of a link that ends, confirmations may be missing.
    case .fault(.transactionTimeout): return nil
    case .fault(let fault): return "the accessory reports \(fault)"
    default: return nil
    }
  }
}
