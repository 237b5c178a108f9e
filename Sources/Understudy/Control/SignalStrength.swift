import AccessoryProfile
import BLEHCI
import BLELink
import PeripheralHost

/// The callers that wait for the signal strength of a central.
struct SignalStrengthWaiters {
  typealias Waiter = CheckedContinuation<Result<Int?, HostRequestError>, Never>

  private var waiting: [(link: ConnectionHandle, waiter: Waiter)] = []

  /// Adds a caller that waits for the signal strength of a link.
  mutating func wait(for link: ConnectionHandle, _ waiter: Waiter) { waiting.append((link, waiter)) }

  /// Resumes the callers with the controller's answer.
  mutating func answer(_ link: ConnectionHandle, _ decibels: Int?) { end(.success(decibels)) { $0 == link } }

  /// Resumes the callers of a link that has ended.
  mutating func end(_ link: ConnectionHandle) { end(.failure(.unknownConnection(link))) { $0 == link } }

  /// Resumes all callers when the accessory ends or starts again.
  mutating func endAll() { end(.failure(.notReady)) { _ in true } }

  private mutating func end(_ outcome: Result<Int?, HostRequestError>, of isMeant: (ConnectionHandle) -> Bool) {
    guard !waiting.isEmpty else { return }
    for entry in waiting where isMeant(entry.link) { entry.waiter.resume(returning: outcome) }
    waiting.removeAll { isMeant($0.link) }
  }
}

extension Accessory {
  /// Returns the received signal strength of a central in dBm, which the controller measures now (Core 5.4
  /// Vol 4 Part E 7.5.4); nil if it is not available.
  public func signalStrength(of link: ConnectionHandle) async throws(ControlError) -> Int? {
    guard !hasEnded else { throw .refused(.unknownConnection(link)) }
    let outcome = await withCheckedContinuation { waiter in
      let now = loop.now()
      do throws(HostRequestError) {
        try stack.askForSignalStrength(of: link, at: now, into: &out)
        signalStrengths.wait(for: link, waiter)
      } catch {
        waiter.resume(returning: .failure(error))
      }
      flush(at: now)
    }
    switch outcome {
    case .success(let decibels): return decibels
    case .failure(let refusal): throw .refused(refusal)
    }
  }

  /// Passes on the signal strengths that the controller has reported in this turn.
  func tellSignalStrengths() {
    guard !out.signalStrengths.isEmpty else { return }
    for (link, decibels) in out.signalStrengths { signalStrengths.answer(link, decibels) }
    out.signalStrengths.removeAll(keepingCapacity: true)
  }
}
