import BLECore
import BLEGAP
import BLEHCI

/// What captures show about an advertising set.
package struct ObservedSet: Sendable {
  /// Identifies a set of one device.
  package struct Key: Hashable, Sendable {
    package var isLegacy: Bool
    /// The Advertising SID; 0xFF without one.
    package var setID: UInt8
  }

  /// The maximum number of stored reception times.
  static let timeLimit = 20_000
  /// The maximum number of distinct data, and of distinct scan responses.
  static let dataLimit = 64

  /// Its identity among the sets of the device.
  package var key: Key
  /// Whether it is connectable, scannable, directed or legacy.
  package var kind: ExtendedReportType
  /// The PHY of its secondary advertising; none for legacy advertising.
  package var secondaryPHY = PHY.none
  /// The TxPower in its header, in dBm; 127 if it has none.
  package var txPower: Int8 = 127
  /// Its distinct data, in order of time; at most `dataLimit`.
  package private(set) var data: [[UInt8]] = []
  /// Its distinct scan responses, in order of time; at most `dataLimit`.
  package private(set) var responses: [[UInt8]] = []
  /// The reception times of its advertisements, without scan responses: nanoseconds since 1970-01-01 00:00 UTC, in order.
  package private(set) var times: [Int64] = []
  /// How often its data changed.
  package private(set) var changes = 0
  private var current: [UInt8] = []

  init(_ key: Key, kind: ExtendedReportType) { (self.key, self.kind) = (key, kind) }

  /// The name in its data or scan response.
  package var name: String? {
    (data + responses).lazy.compactMap { AdvertisingData(parsing: $0).localName }.first
  }

  mutating func note(_ octets: [UInt8], isResponse: Bool, at time: Int64) {
    if isResponse {
      if !octets.isEmpty, responses.count < Self.dataLimit, !responses.contains(octets) { responses.append(octets) }
      return
    }
    if !data.isEmpty, octets != current { changes += 1 }
    current = octets
    if data.count < Self.dataLimit, !data.contains(octets) { data.append(octets) }
    if times.count < Self.timeLimit, times.last.map({ $0 <= time }) ?? true { times.append(time) }
  }

  mutating func merge(_ other: ObservedSet) {
    for octets in other.data where !data.contains(octets) && data.count < Self.dataLimit { data.append(octets) }
    for octets in other.responses where !responses.contains(octets) && responses.count < Self.dataLimit {
      responses.append(octets)
    }
    changes += other.changes
    times = (times + other.times).sorted()
  }

  // MARK: Intervals

  /// A period with one advertising interval.
  package struct Phase: Hashable, Sendable {
    /// The advertising interval.
    package var interval: Duration
    /// How long the period lasted.
    package var length: Duration
  }

  /// Its advertising intervals, in order; empty if there are too few reception times.
  package var phases: [Phase] {
    var phases: [Phase] = []
    var start = 0
    while start + Self.window <= times.count {
      let end = min(start + Self.window, times.count)
      if let interval = Self.interval(times[start..<end]) {
        let length = Duration.nanoseconds(times[end - 1] &- times[start])
        if let last = phases.last, Self.isSame(last.interval, interval) {
          phases[phases.count - 1].length += length
        } else {
          phases.append(Phase(interval: interval, length: length))
        }
      }
      start = end
    }
    if phases.isEmpty, times.count >= 4, let interval = Self.interval(times[...]) {
      phases = [Phase(interval: interval, length: .nanoseconds(times[times.count - 1] &- times[0]))]
    }
    return phases
  }

  /// The number of advertisements from which an interval is estimated.
  private static let window = 24

  private static func isSame(_ left: Duration, _ right: Duration) -> Bool {
    max(left, right) < min(left, right) * 1.35
  }

  /// Estimates an interval. It uses only short gaps, because a scanner misses some events. It subtracts 5 ms, because advDelay is up to 10 ms
  /// (Core 5.4 Vol 6 Part B 4.4.2.2.1). It prefers a recommended interval that is close.
  private static func interval(_ times: ArraySlice<Int64>) -> Duration? {
    // Reports within 10 ms belong to one event: its data came in parts, or on several channels.
    let gaps = zip(times.dropFirst(), times).map { $0 &- $1 }.filter { $0 > 10_000_000 }.sorted()
    guard gaps.count >= 3 else { return nil }
    let short = gaps[gaps.count / 5]
    let single = gaps.filter { $0 < short + short / 2 }
    let mean = single.reduce(0, &+) / Int64(single.count) / 1_000 - 5_000
    let estimate = Duration.microseconds(mean)
    let close = AdvertisingPhase.appleIntervals.first { recommended in
      let distance = recommended > estimate ? recommended - estimate : estimate - recommended
      return distance < max(.microseconds(2_500), recommended / 25)
    }
    return close ?? .microseconds(max(20_000, (mean + 312) / 625 * 625))
  }
}
