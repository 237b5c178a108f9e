import BLECore

/// What limits a throughput.
package enum ThroughputBound: String, Hashable, Sendable {
  /// One value per one or more connection events, because each value waits for the one before.
  case interval
  /// The air is full: each connection event lasts until the next one.
  case air
  /// A controller ends connection events although there is time and more to send.
  case packetsPerEvent = "packets per event"
  /// Connection events last until the next one, and the accessory's controller misses some of those.
  case missedEvents = "missed events"
  /// The line between a host and its controller is full.
  case line = "line rate"
  /// The accessory gives credits too slowly.
  case credits
  /// The central's controller runs out of packets: its host is too slow, or was held up.
  case host
}

/// Observes the sending of a payload, to determine afterwards what limited it.
struct SendingWatch: Sendable {
  /// The observation after each input.
  struct Sight: Sendable {
    /// The number of ACL packets that the controller has.
    var outstanding: Int
    /// The number of further packets that it would accept.
    var free: Int
    /// Whether there is more to send.
    var hasMore: Bool
    /// Whether a channel has frames to send but no credits.
    var lacksCredits: Bool
  }

  /// The maximum number of ACL packets that the controller had at once.
  private(set) var peak = 0
  /// How long the controller had no packets although there was more to send.
  private(set) var starved = Duration.zero
  /// How many times sending waited for credits although the controller had room (`creditStalls`), and for how long in total (`stalled`).
  private(set) var creditStalls = 0
  private(set) var stalled = Duration.zero
  private var last: (instant: Instant, isStarved: Bool, isStalled: Bool)?
  /// The number of ACL packets acknowledged in each connection event since the first acknowledgement, judged by time.
  private var events: [Int] = []
  private var firstCompletion: Instant?

  /// Notes that ACL packets were acknowledged. Acknowledgements can come so late that they count for the next event.
  mutating func note(completed count: Int, interval: Duration, at now: Instant) {
    let first = firstCompletion ?? now
    firstCompletion = first
    let number = (now - first).inNanoseconds / max(interval.inNanoseconds, 1)
    guard number < 1_000_000 else { return }
    while events.count <= number { events.append(0) }
    events[Int(number)] += count
  }

  /// Returns the share of connection events, 0...1, in which almost nothing was acknowledged although the
  /// others were full. Returns zero if the others were not full either.
  func missedShare(_ budget: LinkBudget) -> Double {
    let limit = mostPlausible(budget)
    let most = events.filter { Double($0) <= limit }.max() ?? 0
    let total = events.reduce(0, +)
    guard events.count >= 10, most > 0, total > 0 else { return 0 }
    let held = events.filter { $0 * 4 > most }
    let packetTime = budget.shortestTime.inSeconds / Double(total)
    let fill = Double(held.reduce(0, +)) / Double(held.count) * packetTime / budget.link.interval.inSeconds
    return fill >= Self.fullEvent ? Double(events.count - held.count) / Double(events.count) : 0
  }

  /// Returns the share of packets, 0...1, that were acknowledged in clearly shorter times than they take on the air: the central's host
  /// was held up, and noticed the acknowledgements of several connection events at once.
  private func heldUpShare(_ budget: LinkBudget) -> Double {
    let limit = mostPlausible(budget)
    let total = events.reduce(0, +)
    return total > 0 ? Double(events.filter { Double($0) > limit }.reduce(0, +)) / Double(total) : 0
  }

  /// Returns the most packets that can be acknowledged in one connection event and the late end of the one before.
  private func mostPlausible(_ budget: LinkBudget) -> Double {
    let packetTime = budget.shortestTime.inSeconds / Double(max(1, events.reduce(0, +)))
    return budget.link.interval.inSeconds / packetTime * 1.5
  }

  /// The fraction of the interval that the packets of a full event take at least.
  private static let fullEvent = 0.8

  mutating func observe(_ sight: Sight, at now: Instant) {
    peak = max(peak, sight.outstanding)
    let isStalled = sight.lacksCredits && sight.free > 0
    if let last {
      if last.isStarved { starved += now - last.instant }
      if last.isStalled { stalled += now - last.instant }
    }
    if isStalled, last?.isStalled != true { creditStalls += 1 }
    last = (now, sight.outstanding == 0 && sight.hasMore, isStalled)
  }

  /// The fraction of the time that a line must be busy to count as the limit. In the gaps, it waits for the
  /// controller, which has no free buffer until the next connection event.
  static let fullLine = 0.7
  /// The fraction of the time that a line must be busy to count as the limit although connection events were missed.
  static let saturatedLine = 0.9

  /// Returns what limited a transfer that took `time` on the link of `budget`. `lineLoad` is the fraction of
  /// the time that its octets took on the line, 0...1; nil if the line is too fast to limit anything.
  func bound(_ budget: LinkBudget, in time: Duration, lineLoad: Double?) -> ThroughputBound {
    let events = max(1, time.inSeconds / budget.link.interval.inSeconds)
    let isSequential = peak <= budget.packetsPerFrame && Double(budget.frameCount) <= events * 1.05
    if isSequential { return .interval }
    let airLoad = budget.shortestTime.inSeconds / time.inSeconds
    if airLoad >= 0.97 { return .air }
    let load = lineLoad ?? 0
    // A few missed events are sufficient if the air is full in all others.
    let missed = missedShare(budget)
    let missesEvents = missed >= 0.05 || (missed > 0 && airLoad + missed >= 0.97)
    // Of the two known limits, link layer and line, the tighter one counts.
    if load >= (missesEvents ? Self.saturatedLine : Self.fullLine), load > airLoad { return .line }
    let considerable = time.inSeconds * 0.05
    if Double(creditStalls) >= events / 2 || stalled.inSeconds >= considerable { return .credits }
    if heldUpShare(budget) >= 0.2 { return .host }
    if missesEvents { return .missedEvents }
    if starved.inSeconds >= considerable { return .host }
    return .packetsPerEvent
  }
}
