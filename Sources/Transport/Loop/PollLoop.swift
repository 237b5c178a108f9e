import BLECore
import CSerial
import Glibc
import Synchronization

/// A thread that waits for file descriptors and deadlines. It is the executor of the actors that own them.
///
/// An actor that returns the loop as its `unownedExecutor` runs on the loop's thread. The handlers of its descriptors enter it with
/// `assumeIsolated`, without a task or a hop:
///
/// ```swift
/// actor Owner {
///   let loop: PollLoop
///   nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
///   func begin() {
///     watch = loop.watch(line.descriptor, .readable) { events in self.assumeIsolated { $0.ready(events) } }
///   }
/// }
/// ```
///
/// A turn with one ready descriptor costs one `ppoll` and the handler's own system calls, without a lock or an allocation. A loop runs
/// once, on its own thread (`start`) or on the caller's (`run`). It retains itself while it runs, and releases all handlers when it ends.
/// All methods may be called from any thread. Changes of handlers and descriptors take effect at once if made on the loop, and otherwise
/// from the next turn on.
public final class PollLoop: SerialExecutor {
  /// The name of the loop and of its thread.
  public let name: String

  let clock: LoopClock
  let wakeDescriptor: CInt
  /// Permanently readable once the loop has ended.
  private let endDescriptor: CInt
  let state = Mutex(LoopState())
  /// Whether the shared state has something that the loop must handle. Written with the mutex held.
  let attention = Atomic<Bool>(false)
  /// Whether watches differ from the loop's own copy. Written with the mutex held.
  let watchesChanged = Atomic<Bool>(false)
  /// The earliest deadline of all timers, in nanoseconds; `Int64.max` for none. Written with the mutex held.
  let earliest = Atomic<Int64>(.max)
  /// The thread that runs the loop, or 0.
  let thread = Atomic<UInt>(0)

  /// Creates a loop that is not yet running; jobs and watches wait. Throws if no file descriptors are left.
  public init(name: String, pace: LoopPace = .real) throws(TransportError) {
    let wake = cserial_eventfd()
    guard wake >= 0 else { throw .system("cannot create a poll loop", name, errno) }
    let end = cserial_eventfd()
    guard end >= 0 else {
      let code = errno
      close(wake)
      throw .system("cannot create a poll loop", name, code)
    }
    self.name = name
    clock = LoopClock(pace: pace)
    wakeDescriptor = wake
    endDescriptor = end
  }

  deinit {
    close(wakeDescriptor)
    close(endDescriptor)
  }

  /// The pace of the loop's time.
  public var pace: LoopPace { clock.pace }

  /// Returns the time of the monotonic clock by which deadlines are measured.
  public func now() -> Instant { clock.now() }

  /// Returns the corresponding wall clock for timestamps: the time since 1970-01-01 00:00 UTC.
  public func sinceEpoch() -> Duration { clock.sinceEpoch() }

  /// Lets time jump from deadline to deadline up to an instant, regardless of its pace. External hosts get `settle` of real time between
  /// two jumps. From then on it runs at its usual pace. Call this on the loop.
  public func hurry(until instant: Instant, settle: Duration = LoopPace.defaultSettle) {
    clock.hurry(until: instant, settle: settle)
  }

  /// Whether the caller is on the loop's thread.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}

// MARK: Running

extension PollLoop {
  /// Runs the loop on its own thread. Does nothing if it has already run.
  public func start() throws(TransportError) {
    guard begin() else { return }
    let code = spawnThread {
      cserial_name_thread(self.name)
      self.serve()
    }
    guard code == 0 else {
      state.withLock { $0.phase = .idle }
      throw .system("cannot start the thread of poll loop", name, code)
    }
  }

  /// Runs the loop on the calling thread until `stop`. Does nothing if it has already run.
  public func run() {
    guard begin() else { return }
    serve()
  }

  /// Ends the loop after this turn, when the waiting jobs have run. A loop that never ran ends at once.
  public func stop() {
    let (late, abandoned) = change { state -> (Bool, LoopState.Abandoned) in
      state.stopRequested = true
      guard state.phase == .idle else {
        demandAttention(&state)
        return (false, .init())
      }
      end(&state)
      return (!state.jobs.isEmpty && beginLate(&state), abandon(&state))
    }
    withExtendedLifetime(abandoned) {}
    if late { runLate() }
  }

  /// Stops the loop and waits until it has ended. On the loop's own thread it does not wait.
  public func stopAndWait() {
    stop()
    waitForEnd()
  }

  /// Waits until the loop has ended. On the loop's own thread it does not wait.
  public func waitForEnd() {
    guard !isCurrent else { return }
    var descriptor = pollfd(fd: endDescriptor, events: Int16(POLLIN), revents: 0)
    while poll(&descriptor, 1, -1) < 0 && errno == EINTR {}
  }

  private func begin() -> Bool {
    state.withLock { state in
      guard state.phase == .idle else { return false }
      state.phase = .running
      return true
    }
  }

  private func serve() {
    thread.store(UInt(pthread_self()), ordering: .releasing)
    // The kernel's default timer slack of 50 µs would be visible in the intervals of notifications.
    let slack = cserial_set_timer_slack(1)
    var set = PollSet(wake: wakeDescriptor)
    var batch: [UnownedJob] = []
    var round: UInt64 = 0
    while true {
      if attention.load(ordering: .acquiring) {
        let isStopping = attend(&set, &batch)
        if isStopping && batch.isEmpty && finish() { break }
        run(&batch)
      }
      let wait = clock.wait(until: fireTimers(&round))
      let ready = set.wait(nanoseconds: attention.load(ordering: .acquiring) ? 0 : wait.nanoseconds)
      if ready > 0 {
        set.dispatch(ready, on: self)
      } else if ready == 0, let leap = wait.leap, !attention.load(ordering: .acquiring) {
        clock.leap(to: leap)
      }
    }
    _ = cserial_set_timer_slack(slack)
  }

  /// Applies the changes made by all threads. Returns whether the loop must end once all jobs have run.
  private func attend(_ set: inout PollSet, _ batch: inout [UnownedJob]) -> Bool {
    var watches: [LoopState.Watch]?
    var abandoned = LoopState.Abandoned()
    let isStopping = state.withLock { state -> Bool in
      attention.store(state.stopRequested, ordering: .relaxed)
      state.wakePending = false
      swap(&state.jobs, &batch)
      if state.stopRequested { abandoned = abandon(&state) }
      if state.watchesChanged {
        state.watchesChanged = false
        watchesChanged.store(false, ordering: .relaxed)
        watches = state.watches
      }
      return state.stopRequested
    }
    // Releasing a handler may release the last reference to an object that calls the loop, so no handler is released while the mutex is
    // held.
    if let watches {
      set.rebuild(from: watches)
      clock.setHasPeers(watches.contains { $0.isPeer })
    }
    withExtendedLifetime(abandoned) {}
    return isStopping
  }

  /// Ends the loop, unless more jobs have arrived.
  private func finish() -> Bool {
    state.withLock { state in
      guard state.jobs.isEmpty else { return false }
      end(&state)
      return true
    }
  }

  func run(_ batch: inout [UnownedJob]) {
    let executor = asUnownedSerialExecutor()
    for job in batch { job.runSynchronously(on: executor) }
    batch.removeAll(keepingCapacity: true)
  }

  /// Calls the handlers of the deadlines that have passed. Returns the next deadline.
  private func fireTimers(_ round: inout UInt64) -> Instant? {
    var next = earliest.load(ordering: .relaxed)
    guard next != .max else { return nil }
    let now = now()
    if next <= now.nanoseconds {
      round += 1
      while let handler = takeDueTimer(at: now, round: round) { handler() }
      next = earliest.load(ordering: .relaxed)
    }
    return next == .max ? nil : Instant(nanoseconds: next)
  }

  private func takeDueTimer(at now: Instant, round: UInt64) -> (@Sendable () -> Void)? {
    state.withLock { state in
      let handler = state.takeDueTimer(at: now, round: round)
      noteEarliest(&state)
      return handler
    }
  }

  /// Removes all handlers from the loop. The caller releases them without the mutex.
  private func abandon(_ state: inout LoopState) -> LoopState.Abandoned {
    let abandoned = LoopState.Abandoned(watches: state.watches, timers: state.timers)
    state.watches = []
    state.timers = []
    state.watchesChanged = true
    watchesChanged.store(true, ordering: .relaxed)
    earliest.store(.max, ordering: .relaxed)
    return abandoned
  }

  private func end(_ state: inout LoopState) {
    state.phase = .ended
    thread.store(0, ordering: .releasing)
    var one: UInt64 = 1
    _ = write(endDescriptor, &one, MemoryLayout<UInt64>.size)
  }
}
