import Synchronization

/// Informs waiting tasks that there is no point in waiting: the server ends, or the client has closed the connection.
final class Shutdown: Sendable {
  private struct State {
    var isOver = false
    var nextID = 0
    var handlers: [Int: @Sendable () -> Void] = [:]
  }

  private let state = Mutex(State())

  /// Calls `handler` at the end, or immediately if it has begun. Returns the number for `forget`.
  func notify(_ handler: @escaping @Sendable () -> Void) -> Int {
    let (id, isOver) = state.withLock { state in
      defer { state.nextID += 1 }
      if !state.isOver { state.handlers[state.nextID] = handler }
      return (state.nextID, state.isOver)
    }
    if isOver { handler() }
    return id
  }

  /// Removes a handler.
  func forget(_ id: Int) { _ = state.withLock { $0.handlers.removeValue(forKey: id) } }

  /// Begins the end, and calls the handlers.
  func begin() {
    let handlers = state.withLock { state in
      defer { state.handlers = [:] }
      state.isOver = true
      return state.handlers
    }
    for handler in handlers.values { handler() }
  }
}
