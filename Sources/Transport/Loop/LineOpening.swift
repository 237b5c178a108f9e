import Glibc
import Synchronization

extension PollLoop {
  /// Opens a line on its own thread, so that nothing on the loop waits, and calls `handler` on the loop. The handler is not called if the
  /// loop ends first.
  package func open(_ place: LinePlace, handler: @escaping @Sendable (sending Result<Line, TransportError>) -> Void) {
    let opening = LineOpening()
    let timer = addTimer { [weak self] in
      if let timer = opening.timer { self?.removeTimer(timer) }
      if let outcome = opening.take() { handler(outcome.map { Line(adopting: $0) }) }
    }
    opening.setTimer(timer)
    let code = spawnThread { [weak self] in
      opening.finish(Result { () throws(TransportError) in try place.open().release() })
      if let self { setTimer(timer, now()) }
    }
    guard code != 0 else { return }
    opening.finish(.failure(.system("cannot create a thread for", "\(place)", code)))
    setTimer(timer, now())
  }
}

/// A line in transit from the thread that opens it to the loop.
private final class LineOpening: Sendable {
  private struct State {
    var timer: TimerID?
    var outcome: Result<CInt, TransportError>?
  }

  private let state = Mutex(State())

  deinit { if case .success(let descriptor) = take() { close(descriptor) } }

  var timer: TimerID? { state.withLock { $0.timer } }

  func setTimer(_ timer: TimerID) { state.withLock { $0.timer = timer } }

  func finish(_ outcome: Result<CInt, TransportError>) { state.withLock { $0.outcome = outcome } }

  func take() -> Result<CInt, TransportError>? {
    state.withLock { state in
      defer { state.outcome = nil }
      return state.outcome
    }
  }
}
