import BLECore
import Synchronization

/// The clock of a loop.
struct LoopClock: ~Copyable, Sendable {
  let pace: LoopPace
  private let time: Mutex<LoopTime>
  private let origin: Instant
  /// The wall clock at the origin: the time since 1970-01-01 00:00 UTC.
  private let epoch: Duration
  /// Whether the time is the machine's; not after it was hurried.
  private let isReal: Atomic<Bool>

  init(pace: LoopPace) {
    self.pace = pace
    origin = SystemClock.now()
    epoch = SystemClock.sinceEpoch()
    time = Mutex(LoopTime(pace: pace, real: origin))
    isReal = Atomic(pace == .real)
  }

  func now() -> Instant {
    let real = SystemClock.now()
    if isReal.load(ordering: .relaxed) { return real }
    return time.withLock { $0.now(real: real) }
  }

  /// Returns the time since 1970-01-01 00:00 UTC. A clock that is not real started at the machine's time.
  func sinceEpoch() -> Duration {
    if isReal.load(ordering: .relaxed) { return SystemClock.sinceEpoch() }
    return epoch + (now() - origin)
  }

  func wait(until deadline: Instant?) -> LoopTime.Wait {
    // The usual case, in every turn, needs no lock.
    if isReal.load(ordering: .relaxed) {
      guard let deadline else { return LoopTime.Wait() }
      return LoopTime.Wait(nanoseconds: max(0, (deadline - SystemClock.now()).inNanoseconds))
    }
    return time.withLock { time in
      let real = SystemClock.now()
      time.endHurry(real: real)
      return time.wait(until: deadline, real: real)
    }
  }

  func leap(to instant: Instant) { time.withLock { $0.leap(to: instant, real: SystemClock.now()) } }

  func hurry(until instant: Instant, settle: Duration) {
    time.withLock { $0.hurry(until: instant, settle: settle, real: SystemClock.now()) }
    isReal.store(false, ordering: .relaxed)
  }

  func setHasPeers(_ hasPeers: Bool) {
    time.withLock { if $0.flows != hasPeers { $0.setFlows(hasPeers, real: SystemClock.now()) } }
  }
}
