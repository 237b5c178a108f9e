import BLECore

/// What bounds a throughput.
package enum ThroughputBound: String, Hashable, Sendable {
  /// One value in so many connection events, because the next one waits for the one before.
  case interval
  /// The air is full: each connection event goes on up to the next one.
  case air
  /// A controller ends connection events although there is more to send and time for it.
  case packetsPerEvent = "packets per event"
  /// Connection events go on up to the next one, and the accessory's controller misses some of those.
  case missedEvents = "missed events"
  /// The line between a host and its controller carries no more.
  case line = "line rate"
  /// The accessory gives credits too slowly.
  case credits
  /// The central's controller runs empty: its host is too slow.
  case host
}

/// Observes the sending of a payload, to tell afterwards what held it up.
struct SendingWatch: Sendable {
  /// What can be seen after each input.
  struct Sight: Sendable {
    /// How many ACL packets the controller has.
    var outstanding: Int
    /// How many more it would take.
    var free: Int
    /// Whether there is more to send.
    var hasMore: Bool
    /// Whether a channel has frames to send, and no credits.
    var lacksCredits: Bool
  }

  /// The most ACL packets that the controller had at once.
  private(set) var peak = 0
  /// How long the controller had nothing although there was more to send.
  private(set) var starved = Duration.zero
  /// How often sending had to wait for credits although the controller had room, and how long in all.
  private(set) var creditStalls = 0
  private(set) var stalled = Duration.zero
  private var last: (instant: Instant, isStarved: Bool, isStalled: Bool)?
  /// How many ACL packets were acknowledged in each connection event since the first acknowledgement, as far as its time tells.
  private var events: [Int] = []
  private var firstCompletion: Instant?

  /// Notes that ACL packets were acknowledged. Acknowledgements of one event can come a little late, into the time of the next.
  mutating func note(completed count: Int, interval: Duration, at now: Instant) {
    let first = firstCompletion ?? now
    firstCompletion = first
    let number = (now - first).inNanoseconds / max(interval.inNanoseconds, 1)
    guard number < 1_000_000 else { return }
    while events.count <= number { events.append(0) }
    events[Int(number)] += count
  }

  /// The share of connection events in which next to nothing was acknowledged although the others were full, 0...1; zero where
  /// the others were not full either.
  func missedShare(_ budget: LinkBudget) -> Double {
    let most = events.max() ?? 0
    let total = events.reduce(0, +)
    guard events.count >= 10, most > 0, total > 0 else { return 0 }
    let held = events.filter { $0 * 4 > most }
    let packetTime = budget.shortestTime.inSeconds / Double(total)
    let fill = Double(held.reduce(0, +)) / Double(held.count) * packetTime / budget.link.interval.inSeconds
    return fill >= Self.fullEvent ? Double(events.count - held.count) / Double(events.count) : 0
  }

  /// How much of the interval the packets of a full event take.
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

  /// How much of its time a line is busy at least when it is the bound. In the gaps it waits for the controller, which has no
  /// buffer free until the next connection event.
  static let fullLine = 0.7
  /// How much of its time a line is busy at least when it is the bound although connection events were missed.
  static let saturatedLine = 0.9

  /// How the throughput of a sending counts as bound, which took that time at the link of `budget`. `lineLoad` is how much of
  /// the line's time its octets took, 0...1; nil for a line that is too fast to bound anything.
  func bound(_ budget: LinkBudget, in time: Duration, lineLoad: Double?) -> ThroughputBound {
    let events = max(1, time.inSeconds / budget.link.interval.inSeconds)
    let isSequential = peak <= budget.packetsPerFrame && Double(budget.frameCount) <= events * 1.05
    if isSequential { return .interval }
    let airLoad = budget.shortestTime.inSeconds / time.inSeconds
    if airLoad >= 0.97 { return .air }
    let load = lineLoad ?? 0
    // Few are enough where the air is full in all the others.
    let missed = missedShare(budget)
    let missesEvents = missed >= 0.05 || (missed > 0 && airLoad + missed >= 0.97)
    // The tighter of the two bounds that are known is the one: what the link layer allows, or what the line does.
    if load >= (missesEvents ? Self.saturatedLine : Self.fullLine), load > airLoad { return .line }
    let considerable = time.inSeconds * 0.05
    if Double(creditStalls) >= events / 2 || stalled.inSeconds >= considerable { return .credits }
    if missesEvents { return .missedEvents }
    if starved.inSeconds >= considerable { return .host }
    return .packetsPerEvent
  }
}
