import Glibc
import Synchronization

// MARK: SerialExecutor

extension PollLoop {
  /// Queues a job of an actor, and wakes the loop if it may be waiting. A job that arrives after the end of the loop runs on a new thread,
  /// still one at a time, so that nobody waits forever.
  public func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let late = change { state in
      state.jobs.append(job)
      switch state.phase {
      case .idle, .running:
        demandAttention(&state)
        return false
      case .ended: return beginLate(&state)
      case .late: return false
      }
    }
    if late { runLate() }
  }

  /// Stops the process if the caller is not on the loop's thread.
  public func checkIsolated() {
    precondition(isCurrent, "not on the thread of poll loop \(name)")
  }

  /// Returns whether the caller is on the loop's thread, and so in the isolation of its actors.
  public func isIsolatingCurrentContext() -> Bool? { isCurrent }

  /// Claims the jobs of an ended loop; always true.
  func beginLate(_ state: inout LoopState) -> Bool {
    state.phase = .late
    return true
  }

  func runLate() {
    // If no thread can be created, the caller's is used.
    if spawnThread({ self.drainLate() }) != 0 { drainLate() }
  }

  private func drainLate() {
    let before = thread.exchange(UInt(pthread_self()), ordering: .acquiringAndReleasing)
    var batch: [UnownedJob] = []
    while true {
      let isEmpty = state.withLock { state in
        swap(&state.jobs, &batch)
        guard batch.isEmpty else { return false }
        thread.store(before, ordering: .releasing)
        state.phase = .ended
        return true
      }
      if isEmpty { return }
      run(&batch)
    }
  }
}

/// Runs `body` on a new, detached thread; returns 0 or an errno value.
package func spawnThread(_ body: @escaping @Sendable () -> Void) -> CInt {
  let argument = Unmanaged.passRetained(ThreadBody(body))
  var attributes = pthread_attr_t()
  pthread_attr_init(&attributes)
  defer { pthread_attr_destroy(&attributes) }
  pthread_attr_setdetachstate(&attributes, CInt(PTHREAD_CREATE_DETACHED))
  var thread = pthread_t()
  let code = pthread_create(
    &thread, &attributes,
    { argument in
      guard let argument else { return nil }
      Unmanaged<ThreadBody>.fromOpaque(argument).takeRetainedValue().body()
      return nil
    }, argument.toOpaque())
  if code != 0 { argument.release() }
  return code
}

private final class ThreadBody: Sendable {
  let body: @Sendable () -> Void

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}
