import BLECore
import BLEGATT

/// Simulation of a wrong clock.
extension ProfileRuntime {
  /// Moves the clock forward by `shift`, or back if it is negative.
  package mutating func shiftClock(by shift: Duration) { clock.nanosecondsAtZero &+= shift.inNanoseconds }
}
