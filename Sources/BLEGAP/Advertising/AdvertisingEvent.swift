import BLECore
import BLEHCI

/// An event of advertising, for observers.
public enum AdvertisingEvent: Hashable, Sendable {
  /// A set is on the air at this interval.
  case started(set: String, interval: Duration)
  /// A set is off the air.
  case stopped(set: String)
  /// The controller has ended a set after its maximum number of events. The set stays off until something starts it again.
  case limitReached(set: String, events: Int)
  /// A controller with Zephyr's firmware has accepted the power of a set, and transmits with this power, in dBm.
  case powered(set: String, power: Int8)
  /// The controller rejected a command for a set.
  case refused(set: String, CommandOpcode, ErrorCode)
  /// The controller cannot support a set, for this reason.
  case unavailable(set: String, reason: String)
  /// The controller cannot restrict a set to bonded centrals, for this reason. The host disconnects other centrals, and the controller
  /// answers all scan requests.
  case unfiltered(set: String, reason: String)
}
