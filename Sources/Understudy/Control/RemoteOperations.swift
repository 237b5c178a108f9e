import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost

/// Those who wait for operations on the servers of centrals.
struct RemoteOperations {
  typealias Waiter = CheckedContinuation<Result<GATTOutcome, HostRequestError>, Never>

  private var waiting: [(link: ConnectionHandle, id: OperationID, waiter: Waiter)] = []

  /// Lets somebody wait for the end of an operation.
  mutating func wait(for id: OperationID, on link: ConnectionHandle, _ waiter: Waiter) {
    waiting.append((link, id, waiter))
  }

  /// An operation has ended.
  mutating func end(_ id: OperationID, on link: ConnectionHandle, _ outcome: GATTOutcome) {
    guard let place = waiting.firstIndex(where: { $0.id == id && $0.link == link }) else { return }
    waiting.remove(at: place).waiter.resume(returning: .success(outcome))
  }

  /// The accessory has ended, and with it everything that was under way.
  mutating func endAll() {
    for entry in waiting { entry.waiter.resume(returning: .success(.failure(.closed))) }
    waiting = []
  }
}
