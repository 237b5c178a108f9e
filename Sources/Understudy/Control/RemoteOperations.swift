import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost

/// The callers that wait for operations on the servers of centrals.
struct RemoteOperations {
  typealias Waiter = CheckedContinuation<Result<GATTOutcome, HostRequestError>, Never>

  private var waiting: [(link: ConnectionHandle, id: OperationID, waiter: Waiter)] = []

  /// Adds a caller that waits for the end of an operation.
  mutating func wait(for id: OperationID, on link: ConnectionHandle, _ waiter: Waiter) {
    waiting.append((link, id, waiter))
  }

  /// Resumes the caller that waits for this operation.
  mutating func end(_ id: OperationID, on link: ConnectionHandle, _ outcome: GATTOutcome) {
    guard let place = waiting.firstIndex(where: { $0.id == id && $0.link == link }) else { return }
    waiting.remove(at: place).waiter.resume(returning: .success(outcome))
  }

  /// Resumes all callers when the accessory ends, which ends all operations.
  mutating func endAll() {
    for entry in waiting { entry.waiter.resume(returning: .success(.failure(.closed))) }
    waiting = []
  }
}
