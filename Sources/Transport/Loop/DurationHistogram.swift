import BLECore
import Glibc

/// A histogram of durations from 10 us to some days, with a resolution of 1 %. Its memory does not depend on their number.
package struct DurationHistogram: Hashable, Sendable {
  /// The number of durations.
  package private(set) var count = 0
  /// The longest duration.
  package private(set) var longest = Duration.zero
  private var buckets: [UInt32] = Array(repeating: 0, count: Self.bucketCount)

  private static let bucketCount = 2500
  private static let shortest = 10_000.0
  private static let growth = 1.01

  /// Creates an empty histogram.
  package init() {}

  /// Adds a duration.
  package mutating func add(_ duration: Duration) {
    let nanoseconds = max(Self.shortest, Double(duration.inNanoseconds))
    let place = Int(log(nanoseconds / Self.shortest) / log(Self.growth))
    buckets[min(place, Self.bucketCount - 1)] += 1
    count += 1
    longest = max(longest, duration)
  }

  /// Adds another histogram.
  package mutating func add(_ other: DurationHistogram) {
    for place in buckets.indices { buckets[place] += other.buckets[place] }
    count += other.count
    longest = max(longest, other.longest)
  }

  /// Returns the duration that this share of all durations does not exceed; nil if there are none.
  package func quantile(_ share: Double) -> Duration? {
    guard count > 0 else { return nil }
    let rank = max(1, Int((share * Double(count)).rounded(.up)))
    var seen = 0
    for (place, number) in buckets.enumerated() {
      seen += Int(number)
      guard seen >= rank else { continue }
      let upper = Self.shortest * pow(Self.growth, Double(place + 1))
      return min(.nanoseconds(Int64(upper)), longest)
    }
    return longest
  }
}
