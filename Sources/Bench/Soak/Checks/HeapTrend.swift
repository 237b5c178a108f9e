import CHeap

/// How the heap goes over a run. Looked at between sessions; what is compared is the least of the first and of the last part, so
/// that what comes and goes says nothing.
struct HeapTrend: Sendable {
  /// What a run's first and last part held, in octets.
  struct Figure: Hashable, Sendable {
    var atStart: Int
    var atEnd: Int
    /// How many sessions lay between the two.
    var sessions: Int

    /// How much more there was at the end.
    var growth: Int { atEnd - atStart }
    /// The same for each hundred sessions.
    var perHundredSessions: Int { sessions > 0 ? growth * 100 / sessions : 0 }
    /// Whether something is left behind by every session. An array that has doubled once is not.
    var isLeak: Bool { growth > 64 * 1024 && growth > 4 * sessions }
  }

  /// Of the run, how much is warming up, and how much is compared at either end.
  private static let (warmUp, part) = (0.1, 0.2)

  private var first: (octets: Int, session: Int)?
  private var last: (octets: Int, session: Int)?

  /// Takes the heap at a moment when nothing is under way. `progress` is how much of the run is over, from 0 to 1.
  mutating func add(_ octets: Int, session: Int, progress: Double) {
    if progress >= Self.warmUp, progress < Self.warmUp + Self.part {
      if octets < first?.octets ?? .max { first = (octets, session) }
    } else if progress >= 1 - Self.part {
      if octets < last?.octets ?? .max { last = (octets, session) }
    }
  }

  /// What the run held; nil for one that was too short to say.
  var figure: Figure? {
    guard let first, let last, last.session - first.session >= 10 else { return nil }
    return Figure(atStart: first.octets, atEnd: last.octets, sessions: last.session - first.session)
  }

  /// The octets of the heap that are in use.
  static var heap: Int { cheap_octets_in_use() }
}
