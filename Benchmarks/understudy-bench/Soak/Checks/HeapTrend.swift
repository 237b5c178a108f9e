import CHeap

/// The size of the heap over a run. It is read at one moment between two sessions, when nothing is under way.
///
/// The time after the warm-up is divided into parts, and each part counts with its smallest size. So what comes
/// and goes has no effect. What every session leaves behind makes each part larger than the previous one.
/// Buffers that have met their longest packet, tables that have doubled, and what the runtime keeps from the
/// first use of a type make only a few parts larger. So the median of the rises tells the two cases apart.
struct HeapTrend: Sendable {
  /// The heap of a run's first and last part, in octets.
  struct Figure: Hashable, Sendable {
    var atStart: Int
    var atEnd: Int
    /// How many sessions lie between the two.
    var sessions: Int
    /// How much larger a part was than the previous one, as the median.
    var rise: Int

    /// How much larger the heap was at the end.
    var growth: Int { atEnd - atStart }
    /// The growth for each hundred sessions.
    var perHundredSessions: Int { sessions > 0 ? growth * 100 / sessions : 0 }
    /// Whether something is left behind again and again.
    var isLeak: Bool { rise > HeapTrend.play }
  }

  /// The share of a run that is warming up.
  private static let warmUp = 0.1
  private static let partCount = 8
  /// The fewest sessions in a part. With fewer, its smallest size says more about them than about the heap.
  private static let fewestSessions = 4
  /// How many octets the smallest sizes of two successive parts may differ without any reason.
  static let play = 8192

  private var parts: [(octets: Int, session: Int)?] = Array(repeating: nil, count: Self.partCount)
  private var last: Int?

  /// Takes the size of the heap at a moment when nothing is under way. Only the first size after each session
  /// counts. `progress` is how much of the run is over, from 0 to 1.
  mutating func add(_ octets: @autoclosure () -> Int, session: Int, progress: Double) {
    guard session != last, progress >= Self.warmUp else { return }
    last = session
    let place = Int((progress - Self.warmUp) / (1 - Self.warmUp) * Double(Self.partCount))
    let part = min(place, Self.partCount - 1)
    let octets = octets()
    if octets < parts[part]?.octets ?? .max { parts[part] = (octets, session) }
  }

  /// The heap of the run; nil when the run was too short to judge.
  var figure: Figure? {
    let parts = parts.compactMap { $0 }
    guard parts.count == Self.partCount, let first = parts.first, let last = parts.last else { return nil }
    let sessions = last.session - first.session
    guard sessions >= Self.fewestSessions * (Self.partCount - 1) else { return nil }
    let rises = zip(parts.dropFirst(), parts).map { $0.octets - $1.octets }.sorted()
    return Figure(atStart: first.octets, atEnd: last.octets, sessions: sessions, rise: rises[rises.count / 2])
  }

  /// The octets of the heap that are in use.
  static var heap: Int { cheap_octets_in_use() }
}
