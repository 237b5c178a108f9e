/// Rules for the connection parameters that a peripheral may request, as makers of phones publish them.
public struct ParameterRules: Hashable, Sendable {
  /// The minimum of the shortest interval.
  public var shortestInterval: Duration
  /// The unit that the shortest interval must be a multiple of; nil for any.
  public var intervalUnit: Duration?
  /// The minimum difference between the longest and the shortest interval.
  public var intervalSpread: Duration
  /// The only value that both intervals may have in common; nil for none.
  public var commonInterval: Duration?
  /// The maximum latency, in connection events.
  public var maximumLatency: Int
  /// The supervision timeouts.
  public var timeouts: ClosedRange<Duration>
  /// The maximum of the longest interval times one more than the latency. The timeout must be over three times that product.
  public var longestSilence: Duration

  /// Creates rules.
  public init(
    shortestInterval: Duration, intervalUnit: Duration? = nil, intervalSpread: Duration,
    commonInterval: Duration? = nil,
    maximumLatency: Int, timeouts: ClosedRange<Duration>, longestSilence: Duration = .seconds(2)
  ) {
    self.shortestInterval = shortestInterval
    self.intervalUnit = intervalUnit
    self.intervalSpread = intervalSpread
    self.commonInterval = commonInterval
    self.maximumLatency = maximumLatency
    self.timeouts = timeouts
    self.longestSilence = longestSilence
  }

  /// Returns whether parameters meet all rules.
  public func accept(_ parameters: LinkParameters) -> Bool {
    let (shortest, longest) = (parameters.intervals.lowerBound, parameters.intervals.upperBound)
    let silence = longest * (parameters.latency + 1)
    let hasCommonInterval = shortest == longest && shortest == commonInterval
    guard hasCommonInterval || longest - shortest >= intervalSpread else { return false }
    guard shortest >= shortestInterval, intervalUnit.map({ shortest.isMultiple(of: $0) }) ?? true else { return false }
    return parameters.latency <= maximumLatency && silence <= longestSilence && timeouts.contains(parameters.timeout)
      && silence * 3 < parameters.timeout
  }
}

extension ParameterRules {
  /// The rules of the Accessory Design Guidelines for Apple Devices, "Connection Parameters".
  public static let apple = ParameterRules(
    shortestInterval: .milliseconds(15), intervalUnit: .milliseconds(15), intervalSpread: .milliseconds(15),
    commonInterval: .milliseconds(15), maximumLatency: 30, timeouts: .seconds(2) ... .seconds(6))

  /// The rules of 2013 (Bluetooth Accessory Design Guidelines, "Connection Parameters").
  public static let apple2013 = ParameterRules(
    shortestInterval: .milliseconds(20), intervalSpread: .milliseconds(20), maximumLatency: 4,
    timeouts: .zero ... .seconds(6))
}

extension Duration {
  fileprivate func isMultiple(of unit: Duration) -> Bool {
    let nanoseconds = { (duration: Duration) in Int64((duration / .nanoseconds(1)).rounded()) }
    return nanoseconds(self) % nanoseconds(unit) == 0
  }
}
