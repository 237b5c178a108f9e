import BLECore
import BLEGATT

/// What a runtime was made from. A reference, because a runtime is copied.
final class RuntimeOrigin: Sendable {
  let profile: Profile

  init(_ profile: Profile) { self.profile = profile }
}

/// A device that is switched off and on, and one whose clock is wrong.
extension ProfileRuntime {
  public mutating func restart(at now: Instant) -> [ApplicationAction] {
    let kept = persistentValues
    self = ProfileRuntime(profile: origin.profile, seed: seed, clock: clock, startingAt: now)
    return kept.sorted { $0.key < $1.key }.flatMap { restore($0.value, of: $0.key, at: now) ?? [] }
  }

  public mutating func shiftClock(by shift: Duration) { clock.nanosecondsAtZero &+= shift.inNanoseconds }
}
