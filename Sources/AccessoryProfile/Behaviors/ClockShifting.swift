import BLECore
import BLEGATT

/// A device whose clock is wrong.
extension ProfileRuntime {
  /// Sets the clock forward by that time, or back by a negative one.
  package mutating func shiftClock(by shift: Duration) { clock.nanosecondsAtZero &+= shift.inNanoseconds }
}
