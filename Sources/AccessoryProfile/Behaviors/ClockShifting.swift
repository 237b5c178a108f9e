import BLECore
import BLEGATT

/// A device whose clock is wrong.
extension ProfileRuntime {
  public mutating func shiftClock(by shift: Duration) { clock.nanosecondsAtZero &+= shift.inNanoseconds }
}
