import AccessoryProfile
import BLEHCI
import BLELink
import PeripheralHost

/// Those who wait to hear how strongly a central is heard.
struct SignalStrengthWaiters {
  typealias Waiter = CheckedContinuation<Result<Int?, HostRequestError>, Never>

  private var waiting: [(link: ConnectionHandle, waiter: Waiter)] = []

  /// Lets somebody wait for what the controller says of a link.
  mutating func wait(for link: ConnectionHandle, _ waiter: Waiter) { waiting.append((link, waiter)) }

  /// The controller has said it.
  mutating func answer(_ link: ConnectionHandle, _ decibels: Int?) { end(.success(decibels)) { $0 == link } }

  /// A link has ended.
  mutating func end(_ link: ConnectionHandle) { end(.failure(.unknownConnection(link))) { $0 == link } }

  /// The accessory has ended, or begins anew.
  mutating func endAll() { end(.failure(.notReady)) { _ in true } }

  private mutating func end(_ outcome: Result<Int?, HostRequestError>, of isMeant: (ConnectionHandle) -> Bool) {
    guard !waiting.isEmpty else { return }
    for entry in waiting where isMeant(entry.link) { entry.waiter.resume(returning: outcome) }
    waiting.removeAll { isMeant($0.link) }
  }
}

extension Accessory {
  /// How strongly a central is heard, in dBm, as the controller says when it is asked now (Core 5.4 Vol 4 Part E 7.5.4); nil when it
  /// cannot tell.
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

  /// Hands on what the controller has said in this turn.
  func tellSignalStrengths() {
    guard !out.signalStrengths.isEmpty else { return }
    for (link, decibels) in out.signalStrengths { signalStrengths.answer(link, decibels) }
    out.signalStrengths.removeAll(keepingCapacity: true)
  }
}
