import CHeap

/// How the heap goes over a run. Looked at once between two sessions, when nothing is under way.
///
/// What is behind the warming up is cut into parts, and of each the least counts, so that what comes and goes says nothing. What
/// every session leaves behind raises each part above the one before; buffers that have met their longest packet, tables that have
/// doubled and what the runtime keeps from its first use of a type raise a few. So the median of the rises tells the two apart.
struct HeapTrend: Sendable {
  /// What a run's first and last part held, in octets.
  struct Figure: Hashable, Sendable {
    var atStart: Int
    var atEnd: Int
    /// How many sessions lay between the two.
    var sessions: Int
    /// By how much a part was above the one before, in the median.
    var rise: Int

    /// How much more there was at the end.
    var growth: Int { atEnd - atStart }
    /// The same for each hundred sessions.
    var perHundredSessions: Int { sessions > 0 ? growth * 100 / sessions : 0 }
    /// Whether something is left behind again and again.
    var isLeak: Bool { rise > HeapTrend.play }
  }

  /// The share of a run that is warming up.
  private static let warmUp = 0.1
  private static let partCount = 8
  /// With fewer sessions in a part, the least of it says more about them than about the heap.
  private static let fewestSessions = 4
  /// By how many octets the least of one part may differ from that of the next without any reason.
  static let play = 8192

  private var parts: [(octets: Int, session: Int)?] = Array(repeating: nil, count: Self.partCount)
  private var last: Int?

  /// Takes the heap at a moment when nothing is under way; only the first one behind each session is looked at. `progress` is how
  /// much of the run is over, from 0 to 1.
  mutating func add(_ octets: @autoclosure () -> Int, session: Int, progress: Double) {
    guard session != last, progress >= Self.warmUp else { return }
    last = session
    let place = Int((progress - Self.warmUp) / (1 - Self.warmUp) * Double(Self.partCount))
    let part = min(place, Self.partCount - 1)
    let octets = octets()
    if octets < parts[part]?.octets ?? .max { parts[part] = (octets, session) }
  }

  /// What the run held; nil for one that was too short to say.
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
