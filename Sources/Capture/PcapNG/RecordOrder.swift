import BLECore

/// Puts the records of a file in order of time.
///
/// A packet on the air is reported when its transmission ends, with the time at which it started. Packets between a controller and its host
/// during that time are reported earlier. So records wait until no earlier one can follow.
struct RecordOrder {
  private struct Held {
    var nanoseconds: Int64
    var arrived: Instant
    var octets: [UInt8]
  }

  /// The longest packet has 257 octets on LE Coded with S=8, which take 17.04 ms (Core 5.4 Vol 6 Part B 2.2).
  private static let longestPacket = Duration.milliseconds(20)

  /// The records by time; those with equal times in order of arrival.
  private var held: [Held] = []
  /// The time of the latest record in the file.
  private var last = Int64.min
  /// The number of waiting octets.
  private(set) var count = 0

  /// The arrival of the first waiting record.
  private(set) var waitsSince: Instant?

  /// Returns the time to store for a record: no earlier than those in the file.
  func time(for nanoseconds: Int64) -> Int64 { max(nanoseconds, last) }

  mutating func insert(_ octets: [UInt8], nanoseconds: Int64, at now: Instant) {
    var place = held.endIndex
    while place > 0, held[place - 1].nanoseconds > nanoseconds { place -= 1 }
    held.insert(Held(nanoseconds: nanoseconds, arrived: now, octets: octets), at: place)
    count += octets.count
    if waitsSince == nil { waitsSince = now }
  }

  /// Passes on all records that no earlier one can follow.
  mutating func release(at now: Instant, _ give: ([UInt8]) -> Void) {
    release(while: { now - $0.arrived > Self.longestPacket }, give)
  }

  /// Passes on all records.
  mutating func releaseAll(_ give: ([UInt8]) -> Void) { release(while: { _ in true }, give) }

  private mutating func release(while isDue: (Held) -> Bool, _ give: ([UInt8]) -> Void) {
    let due = held.prefix(while: isDue).count
    guard due > 0 else { return }
    for record in held[..<due] {
      give(record.octets)
      count -= record.octets.count
    }
    last = max(last, held[due - 1].nanoseconds)
    held.removeFirst(due)
    waitsSince = held.map(\.arrived).min()
  }
}
