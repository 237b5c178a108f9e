import BLECore
import Synchronization

/// What a loop reads the time from.
struct LoopClock: ~Copyable, Sendable {
  let pace: LoopPace
  private let time: Mutex<LoopTime>
  private let origin: Instant
  /// The wall clock at the origin: the time since 1970-01-01 00:00 UTC.
  private let epoch: Duration

  init(pace: LoopPace) {
    self.pace = pace
    origin = SystemClock.now()
    epoch = SystemClock.sinceEpoch()
    time = Mutex(LoopTime(pace: pace, real: origin))
  }

  func now() -> Instant {
    let real = SystemClock.now()
    if case .real = pace { return real }
    return time.withLock { $0.now(real: real) }
  }

  /// The time since 1970-01-01 00:00 UTC; one that does not pass as the machine's began as that.
  func sinceEpoch() -> Duration {
    if case .real = pace { return SystemClock.sinceEpoch() }
    return epoch + (now() - origin)
  }

  func wait(until deadline: Instant?) -> LoopTime.Wait {
    guard let deadline else { return LoopTime.Wait() }
    // The usual one, in every turn, goes without the lock.
    if case .real = pace { return LoopTime.Wait(nanoseconds: max(0, (deadline - SystemClock.now()).inNanoseconds)) }
    return time.withLock { $0.wait(until: deadline, real: SystemClock.now()) }
  }

  func leap(to instant: Instant) { time.withLock { $0.leap(to: instant, real: SystemClock.now()) } }

  func setHasPeers(_ hasPeers: Bool) {
    guard case .fast = pace else { return }
    time.withLock { if $0.flows != hasPeers { $0.setFlows(hasPeers, real: SystemClock.now()) } }
  }
}
