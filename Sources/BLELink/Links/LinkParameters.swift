import BLECore
import BLEHCI
import BLEL2CAP

/// The connection parameters that a central sets (Core 5.4 Vol 4 Part E 7.8.12).
public struct LinkParameters: Hashable, Sendable {
  /// The shortest and longest connection interval, 7.5 ms ... 4 s, in steps of 1.25 ms.
  public var intervals: ClosedRange<Duration>
  /// The number of connection events that the peripheral may skip, 0...499.
  public var latency: Int
  /// The supervision timeout, 100 ms ... 32 s, in steps of 10 ms.
  public var timeout: Duration

  /// Creates parameters with a range of intervals.
  public init(intervals: ClosedRange<Duration>, latency: Int = 0, timeout: Duration = .seconds(1)) {
    self.intervals = intervals
    self.latency = latency
    self.timeout = timeout
  }

  /// Creates parameters with one interval.
  public init(interval: Duration = .milliseconds(30), latency: Int = 0, timeout: Duration = .seconds(1)) {
    self.init(intervals: interval...interval, latency: latency, timeout: timeout)
  }

  /// Creates the parameters that a peripheral requests; nil if they are not allowed (Core 5.4 Vol 3 Part A 4.20).
  init?(_ request: ConnectionParameterUpdateRequest) {
    guard request.isAllowed else { return nil }
    let minimum = ConnectionInterval(rawValue: request.intervalMinimum)
    let maximum = ConnectionInterval(rawValue: request.intervalMaximum)
    self.init(
      intervals: minimum.duration...maximum.duration, latency: Int(request.latency),
      timeout: SupervisionTimeout(rawValue: request.timeout).duration)
  }

  package var minimum: ConnectionInterval { ConnectionInterval(rounding: intervals.lowerBound) }
  package var maximum: ConnectionInterval { ConnectionInterval(rounding: intervals.upperBound) }
  package var maximumLatency: UInt16 { UInt16(clamping: latency) }
  package var supervisionTimeout: SupervisionTimeout { SupervisionTimeout(rounding: timeout) }
}

extension LinkPolicy.ParameterPolicy {
  /// Returns whether the policy accepts these parameters.
  func accepts(_ parameters: LinkParameters) -> Bool {
    switch self {
    case .accept: true
    case .acceptWithin(let range):
      range.contains(parameters.intervals.lowerBound) && range.contains(parameters.intervals.upperBound)
    case .acceptMeeting(let rules): rules.accept(parameters)
    case .reject, .ignore: false
    }
  }
}
