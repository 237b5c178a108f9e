import Synchronization

/// An event that happens once, triggered by whichever caller is first, and that one task waits for.
final class Latch: Sendable {
  private enum State {
    case closed
    case awaited(CheckedContinuation<Void, Never>)
    case open
  }

  private let state = Mutex(State.closed)

  func open() {
    let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
      defer { state = .open }
      if case .awaited(let continuation) = state { return continuation }
      return nil
    }
    waiting?.resume()
  }

  func wait() async {
    await withCheckedContinuation { continuation in
      let isOpen = state.withLock { state -> Bool in
        if case .open = state { return true }
        state = .awaited(continuation)
        return false
      }
      if isOpen { continuation.resume() }
    }
  }
}
