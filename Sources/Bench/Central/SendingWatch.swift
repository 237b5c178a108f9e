import BLECore

/// What bounds a throughput.
public enum ThroughputBound: String, Hashable, Sendable {
  /// One value in so many connection events, because the next one waits for the one before.
  case interval
  /// Connection events are full: up to the next one, or to as many packets as a controller takes.
  case packetsPerEvent = "packets per event"
  /// The line between host and controller carries no more.
  case uart = "UART"
  /// The accessory gives credits too slowly.
  case credits
  /// The central's controller runs empty: its host is too slow.
  case host
}

/// Looks on while a payload is sent, to tell afterwards what held it up.
struct SendingWatch: Sendable {
  /// What can be seen after a turn.
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

  mutating func look(_ sight: Sight, at now: Instant) {
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

  /// How the throughput of a sending counts as bound, which took that time at the link of `budget`. `lineLoad` is how much of
  /// the line's time its octets took, 0...1; nil for a line without a speed.
  func bound(_ budget: LinkBudget, in time: Duration, lineLoad: Double?) -> ThroughputBound {
    let events = max(1, time.inSeconds / budget.link.interval.inSeconds)
    let isSequential = peak <= budget.packetsPerFrame && Double(budget.frameCount) <= events * 1.05
    if isSequential { return .interval }
    if budget.shortestTime.inSeconds >= time.inSeconds * 0.97 { return .packetsPerEvent }
    // The tighter of the two bounds that are known is the one: what the link layer allows, or what the line does.
    let airLoad = budget.shortestTime.inSeconds / time.inSeconds
    if let lineLoad, lineLoad >= Self.fullLine, lineLoad > airLoad { return .uart }
    let considerable = time.inSeconds * 0.05
    if Double(creditStalls) >= events / 2 || stalled.inSeconds >= considerable { return .credits }
    if starved.inSeconds >= considerable { return .host }
    return .packetsPerEvent
  }
}
