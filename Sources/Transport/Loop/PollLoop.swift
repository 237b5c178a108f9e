import BLECore
import CSerial
import Glibc
import Synchronization

/// A thread that waits for file descriptors and deadlines, and is the executor of the actors that own them.
///
/// An actor that returns the loop as its `unownedExecutor` runs on the loop's thread, so the handlers of its descriptors
/// enter it by `assumeIsolated`, without a task or a hop:
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
/// A turn with one ready descriptor is one `ppoll` and the handler's own system calls, without a lock or an allocation. A
/// loop runs once, on a thread of its own (`start`) or on the caller's (`run`). It holds itself while it runs, and lets go
/// of all handlers when it ends. All methods may be called from any thread; what is said about handlers and descriptors
/// takes effect at once when said on the loop, and from the next turn on when said from elsewhere.
public final class PollLoop: SerialExecutor {
  /// The name of the loop and of its thread.
  public let name: String

  let clock: LoopClock
  let wakeDescriptor: CInt
  /// Readable for ever once the loop has ended.
  private let endDescriptor: CInt
  let state = Mutex(LoopState())
  /// Whether the shared state holds something that the loop must look at. Written with the mutex held.
  let attention = Atomic<Bool>(false)
  /// Whether watches differ from the loop's own copy. Written with the mutex held.
  let watchesChanged = Atomic<Bool>(false)
  /// The earliest deadline of all timers, in nanoseconds; `Int64.max` for none. Written with the mutex held.
  let earliest = Atomic<Int64>(.max)
  /// The thread that runs the loop, or 0.
  let thread = Atomic<UInt>(0)

  /// A loop that is not yet running; jobs and watches wait for it. Fails when there are no file descriptors left.
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

  /// How the loop's time passes.
  public var pace: LoopPace { clock.pace }

  /// The monotonic clock that deadlines are measured by.
  public func now() -> Instant { clock.now() }

  /// The wall clock that goes with it: the time since 1970-01-01 00:00 UTC, for time stamps.
  public func sinceEpoch() -> Duration { clock.sinceEpoch() }

  /// Lets time jump from deadline to deadline up to an instant, whatever its pace: hosts outside have `settle` of the machine's time
  /// between two jumps. Then it passes as usual, from there on. To be called on the loop.
  public func hurry(until instant: Instant, settle: Duration = LoopPace.defaultSettle) {
    clock.hurry(until: instant, settle: settle)
  }

  /// Whether the caller is on the loop's thread.
  public var isCurrent: Bool { thread.load(ordering: .relaxed) == UInt(pthread_self()) }
}

// MARK: Running

extension PollLoop {
  /// Runs the loop on a thread of its own. Does nothing when it already ran.
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

  /// Runs the loop on the calling thread until `stop`. Does nothing when it already ran.
  public func run() {
    guard begin() else { return }
    serve()
  }

  /// Makes the loop end after this turn, when the jobs that wait have run. A loop that never ran is over at once.
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

  /// Stops the loop and waits until it has ended. On the loop's own thread it only stops.
  public func stopAndWait() {
    stop()
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
    // The kernel's usual 50 µs of slack would show in the intervals of notifications.
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

  /// Takes over what other threads, and this one, left to do; returns whether the loop is to end once all jobs have run.
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
    // A handler may hold the last reference to something that calls the loop when it goes, so none goes with the mutex
    // held.
    if let watches {
      set.rebuild(from: watches)
      clock.setHasPeers(watches.contains { $0.isPeer })
    }
    withExtendedLifetime(abandoned) {}
    return isStopping
  }

  /// Ends the loop, unless more jobs have come.
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

  /// Calls the handlers of the deadlines that have passed; returns the next one.
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

  /// Takes all handlers out of the loop, for the caller to let go of without the mutex.
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
