import BLECore
import Transport

/// Advancing the time on request.
extension RadioHub {
  /// Advances the time of the radio and of everything else on its loop by `duration`, from deadline to deadline,
  /// and calls `done` on the loop when it is finished, or when the radio closes. Afterwards, time passes as before.
  public func advance(by duration: Duration, done: @escaping @Sendable () -> Void) {
    let until = loop.now() + duration
    var advances =
      advances ?? (loop.addTimer { [weak self] in self?.assumeIsolated { $0.endDueAdvances() } }, [])
    advances.waiting.append((until, done))
    self.advances = advances
    loop.hurry(until: until)
    armAdvances()
  }

  private func armAdvances() {
    guard let advances else { return }
    loop.setTimer(advances.timer, advances.waiting.map(\.until).min())
  }

  private func endDueAdvances() {
    let now = loop.now()
    let due = advances?.waiting.filter { $0.until <= now } ?? []
    advances?.waiting.removeAll { $0.until <= now }
    armAdvances()
    for advance in due { advance.done() }
  }

  /// Calls all waiting callers when the radio closes.
  func endAdvances() {
    guard let advances else { return }
    self.advances = nil
    loop.removeTimer(advances.timer)
    for advance in advances.waiting { advance.done() }
  }
}
