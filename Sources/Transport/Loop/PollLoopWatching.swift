import BLECore
import CSerial
import Glibc
import Synchronization

extension PollLoop {
  /// Calls `handler` on the loop whenever one of `events` happens on `descriptor`, or it fails or hangs up. The descriptor
  /// stays the caller's, who unwatches it before he closes it.
  ///
  /// With `isPeer` somebody is at the other end who takes part in the loop's time: a loop that goes as fast as it can gives
  /// him the time to answer.
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

  /// Changes what a watched descriptor is waited for; nothing is waited for but failure and hang-up when it is empty.
  package func setInterest(_ id: WatchID, _ events: PollEvents) {
    change { state in
      guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return }
      guard state.watches[index].interest != events else { return }
      state.watches[index].interest = events
      noteWatchesChanged(&state)
    }
  }

  /// Forgets a watched descriptor. On the loop its handler is not called again, not even in this turn; from another thread
  /// it may just be running.
  package func unwatch(_ id: WatchID) {
    let removed = change { state -> LoopState.Watch? in
      guard let index = state.watches.firstIndex(where: { $0.id == id }) else { return nil }
      noteWatchesChanged(&state)
      return state.watches.remove(at: index)
    }
    withExtendedLifetime(removed) {}
  }

  /// Makes a timer, without a deadline, whose handler is called on the loop when its deadline has passed.
  package func addTimer(handler: @escaping @Sendable () -> Void) -> TimerID {
    change { state in
      let id = TimerID(value: state.makeID())
      guard !state.isOver else { return id }
      state.timers.append(.init(id: id, deadline: nil, handler: handler))
      return id
    }
  }

  /// Sets when the timer's handler is called next, once; nil for not at all.
  package func setTimer(_ id: TimerID, _ deadline: Instant?) {
    change { state in
      guard let index = state.timers.firstIndex(where: { $0.id == id }) else { return }
      guard state.timers[index].deadline != deadline else { return }
      state.timers[index].deadline = deadline
      noteEarliest(&state)
    }
  }

  /// Forgets a timer.
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

// MARK: Telling the loop

extension PollLoop {
  /// Changes the shared state, and wakes the loop when that asks for it and the caller is not on it.
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

  /// Makes the loop look at the shared state before it waits again.
  func demandAttention(_ state: inout LoopState) {
    attention.store(true, ordering: .releasing)
    state.wakeWanted = true
  }

  private func noteWatchesChanged(_ state: inout LoopState) {
    state.watchesChanged = true
    watchesChanged.store(true, ordering: .relaxed)
    demandAttention(&state)
  }

  /// Brings the earliest deadline up to date.
  func noteEarliest(_ state: inout LoopState) {
    let deadline = state.earliestDeadline?.nanoseconds ?? .max
    // The loop reads this before it waits, so only an earlier one from another thread need wake it.
    if deadline < earliest.load(ordering: .relaxed) && !isCurrent { demandAttention(&state) }
    earliest.store(deadline, ordering: .relaxed)
  }

  /// Whether a handler changed the watches since the loop took them over.
  var haveWatchesChanged: Bool { watchesChanged.load(ordering: .relaxed) }

  /// What a descriptor is waited for, or nil when it is no longer watched.
  func interest(of id: WatchID) -> PollEvents? {
    state.withLock { state in state.watches.first { $0.id == id }?.interest }
  }
}
