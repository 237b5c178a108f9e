import BLECore
import CSerial
import Glibc
import Synchronization

extension PollLoop {
  /// Calls `handler` on the loop whenever one of `events` happens on `descriptor`, or it fails or hangs up. The caller keeps the
  /// descriptor, and must unwatch it before closing it.
  ///
  /// With `isPeer`, a peer that takes part in the loop's time is at the other end: a loop that runs as fast as possible gives it time to
  /// respond.
  package func watch(
    _ descriptor: CInt, _ events: PollEvents, isPeer: Bool = false, handler: @escaping @Sendable (PollEvents) -> Void
  ) -> WatchID {
    change { state in
      let id = WatchID(value: state.makeID())
      guard !state.isOver else { return id }
      state.watches.append(.init(id: id, descriptor: descriptor, interest: events, isPeer: isPeer, handler: handler))
      noteWatchesChanged(&state)
      return id
    }
  }

  /// Changes the events that a descriptor is watched for. If empty, only failure and hang-up are reported.
  package func setInterest(_ id: WatchID, _ events: PollEvents) {
    change { state in
      guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return }
      guard state.watches[index].interest != events else { return }
      state.watches[index].interest = events
      noteWatchesChanged(&state)
    }
  }

  /// Unwatches a descriptor. If called on the loop, its handler is not called again, not even in this turn; if called from another thread,
  /// the handler may be running.
  package func unwatch(_ id: WatchID) {
    let removed = change { state -> LoopState.Watch? in
      guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return nil }
      noteWatchesChanged(&state)
      return state.watches.remove(at: index)
    }
    withExtendedLifetime(removed) {}
  }

  /// Creates a timer without a deadline. Its handler is called on the loop when a deadline has passed.
  package func addTimer(handler: @escaping @Sendable () -> Void) -> TimerID {
    change { state in
      let id = TimerID(value: state.makeID())
      guard !state.isOver else { return id }
      state.timers.append(.init(id: id, deadline: nil, handler: handler))
      return id
    }
  }

  /// Sets the deadline at which the timer's handler is called once; nil for never.
  package func setTimer(_ id: TimerID, _ deadline: Instant?) {
    change { state in
      guard let index = state.timers.firstIndex(where: { $0.id == id }) else { return }
      guard state.timers[index].deadline != deadline else { return }
      state.timers[index].deadline = deadline
      noteEarliest(&state)
    }
  }

  /// Removes a timer.
  package func removeTimer(_ id: TimerID) {
    let removed = change { state -> LoopState.Timer? in
      guard let index = state.timers.firstIndex(where: { $0.id == id }) else { return nil }
      let timer = state.timers.remove(at: index)
      noteEarliest(&state)
      return timer
    }
    withExtendedLifetime(removed) {}
  }
}

// MARK: Notifying the loop

extension PollLoop {
  /// Changes the shared state, and wakes the loop if the change requires it and the caller is not on the loop.
  func change<Result: Sendable>(_ body: (inout LoopState) -> Result) -> Result {
    let (result, wake) = state.withLock { state in
      let result = body(&state)
      let wake = state.wakeWanted && !state.wakePending && !isCurrent
      state.wakeWanted = false
      if wake { state.wakePending = true }
      return (result, wake)
    }
    if wake {
      var one: UInt64 = 1
      _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }
    return result
  }

  /// Makes the loop check the shared state before it waits again.
  func demandAttention(_ state: inout LoopState) {
    attention.store(true, ordering: .releasing)
    state.wakeWanted = true
  }

  private func noteWatchesChanged(_ state: inout LoopState) {
    state.watchesChanged = true
    watchesChanged.store(true, ordering: .relaxed)
    demandAttention(&state)
  }

  /// Updates the earliest deadline.
  func noteEarliest(_ state: inout LoopState) {
    let deadline = state.earliestDeadline?.nanoseconds ?? .max
    // The loop reads this before it waits, so only an earlier deadline from another thread must wake it.
    if deadline < earliest.load(ordering: .relaxed) && !isCurrent { demandAttention(&state) }
    earliest.store(deadline, ordering: .relaxed)
  }

  /// Whether a handler has changed the watches since the loop copied them.
  var haveWatchesChanged: Bool { watchesChanged.load(ordering: .relaxed) }

  /// Returns the events that a descriptor is watched for; nil if it is no longer watched.
  func interest(of id: WatchID) -> PollEvents? {
    state.withLock { state in state.watches.first { $0.id == id }?.interest }
  }
}
