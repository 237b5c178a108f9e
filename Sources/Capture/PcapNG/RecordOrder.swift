import BLECore

/// Records on their way to a file that is in order of time.
///
/// A packet on the air is told of when it has been sent, with the time at which it began; what passed between a controller and its
/// host meanwhile is told of before. So records wait until nothing can come any longer that belongs before them.
struct RecordOrder {
  private struct Held {
    var nanoseconds: Int64
    var arrived: Instant
    var octets: [UInt8]
  }

  /// The longest packet is one of 257 octets on LE Coded with S=8, of 17.04 ms (Core 5.4 Vol 6 Part B 2.2).
  private static let longestPacket = Duration.milliseconds(20)

  /// By their times; those of one time in the order in which they came.
  private var held: [Held] = []
  /// The time of the last record that was given out.
  private var last = Int64.min
  /// How many octets wait.
  private(set) var count = 0

  /// When the first of them came.
  private(set) var waitsSince: Instant?

  /// The time that a record is to have: no earlier than those that are in the file.
  func time(for nanoseconds: Int64) -> Int64 { max(nanoseconds, last) }

  mutating func insert(_ octets: [UInt8], nanoseconds: Int64, at now: Instant) {
    var place = held.endIndex
    while place > 0, held[place - 1].nanoseconds > nanoseconds { place -= 1 }
    held.insert(Held(nanoseconds: nanoseconds, arrived: now, octets: octets), at: place)
    count += octets.count
    if waitsSince == nil { waitsSince = now }
  }

  /// Gives out everything that nothing can come before any longer.
  mutating func release(at now: Instant, _ give: ([UInt8]) -> Void) {
    release(while: { now - $0.arrived > Self.longestPacket }, give)
  }

  /// Gives out everything.
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
