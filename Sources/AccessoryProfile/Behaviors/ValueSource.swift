import BLECore

/// Where the value of a characteristic comes from.
public enum ValueSource: Hashable, Sendable {
  /// A value or a part of a value that is the same until somebody sets it.
  case constant(ProfileValue)
  /// A number that changes with time.
  case number(NumberGenerator)
  /// One value after the other, each for an interval; then again from the first, or the last for ever.
  case sequence([ProfileValue], every: Duration, repeats: Bool)
  /// The time of day, as the format wants it.
  case clock(Zone)
  /// The times between events that happen as often as another field says; only in a record, behind that field.
  case intervals(Intervals)
  /// Each field from a source of its own.
  case record([Field])
  /// So many octets: a sequence number of four, little endian, that is one more in each value, and behind it octets
  /// that count up from 0.
  case pattern(length: Int)
  /// What an expression gives.
  case computed(Expression)
  /// What was recorded.
  case replay(Recording)

  /// Which time a clock shows.
  public enum Zone: String, Hashable, Sendable, CaseIterable { case local, utc }

  /// Times between events, such as the beats of a heart.
  public struct Intervals: Hashable, Sendable {
    /// The field that says how many events there are.
    public var field: String
    /// In how much time.
    public var per = Duration.seconds(60)
    /// How much a second is in the values.
    public var ticks = 1024.0
    /// How many intervals one value has at the most: in Heart Rate Measurement so many fit the default MTU beside all other fields.
    public var most = 7

    /// The intervals of events of which a field says how many there are in a minute, in 1/1024 s.
    public init(field: String) { self.field = field }
  }

  /// Whether it is values that were sent once, of which each is sent again.
  var isCaptured: Bool { if case .replay(let recording) = self { recording.isCaptured } else { false } }

  /// Values, each from its time on.
  public struct Recording: Hashable, Sendable {
    /// The times since the beginning, rising.
    public var times: [Duration]
    /// The values from these times on.
    public var values: [ProfileValue]
    /// When it is over.
    public var end: Duration
    /// Whether it begins again then; otherwise the last value stays.
    public var repeats: Bool
    /// Whether each value is one that was sent, and is sent again even when it is the same as the one before.
    public var isCaptured = false

    /// The value after so long; before the first time it is the first.
    func value(after elapsed: Duration) -> ProfileValue {
      var time = max(elapsed, .zero)
      if repeats { time = .nanoseconds(time.inNanoseconds % max(end.inNanoseconds, 1)) }
      var (low, high) = (0, times.count)
      while high - low > 1 {
        let middle = (low + high) / 2
        if times[middle] <= time { low = middle } else { high = middle }
      }
      return values[low]
    }

    /// When the next value begins after so long; nil when none does.
    func nextTime(after elapsed: Duration) -> Duration? {
      var (base, time) = (Duration.zero, max(elapsed, .zero))
      if repeats {
        time = .nanoseconds(time.inNanoseconds % max(end.inNanoseconds, 1))
        base = max(elapsed, .zero) - time
      }
      var (low, high) = (0, times.count)
      while low < high {
        let middle = (low + high) / 2
        if times[middle] <= time { low = middle + 1 } else { high = middle }
      }
      if low < times.count { return base + times[low] }
      return repeats ? base + end + times[0] : nil
    }

    /// The shortest time that a value stays.
    var shortest: Duration { zip(times.dropFirst(), times).map { $0 - $1 }.min() ?? end }
  }

  /// A field of a record.
  public struct Field: Hashable, Sendable {
    /// The name of the field.
    public var name: String
    /// Where its value comes from.
    public var source: ValueSource

    /// A field with that source.
    public init(_ name: String, _ source: ValueSource) {
      self.name = name
      self.source = source
    }
  }

  /// Whether nothing in it ever changes by itself.
  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .record(let fields): fields.allSatisfy(\.source.isConstant)
    default: false
    }
  }

  /// Whether a value of a format depends on how often it has been sent, or on when.
  func countsSamples(_ format: ValueFormat) -> Bool {
    switch self {
    case .number(let generator): return generator.countsSamples
    case .intervals, .pattern: return true
    case .computed(let expression): return expression.references.contains(.known(.counter))
    case .record(let sources):
      let fields = format.fields ?? []
      return sources.contains { source in
        guard let field = fields.first(where: { $0.name == source.name }) else { return false }
        return field.sampleInterval > 1 || source.source.countsSamples(field.format)
      }
    case .constant, .sequence, .clock, .replay: return false
    }
  }
}

/// What time it is, for clocks in profiles.
package struct WallClock: Hashable, Sendable {
  /// Nanoseconds from the beginning of 1970, UTC, to `Instant.zero`; negative when the instant's zero is before.
  package var nanosecondsAtZero: Int64
  /// How far standard time is east of UTC, in minutes.
  package var standardOffsetMinutes: Int
  /// How far the clocks are ahead of standard time now, in minutes: 0, 30, 60 or 120.
  package var daylightSavingMinutes: Int

  /// A clock that shows that time at `Instant.zero`.
  package init(nanosecondsAtZero: Int64 = 0, standardOffsetMinutes: Int = 0, daylightSavingMinutes: Int = 0) {
    self.nanosecondsAtZero = nanosecondsAtZero
    self.standardOffsetMinutes = standardOffsetMinutes
    self.daylightSavingMinutes = daylightSavingMinutes
  }

  /// Nanoseconds since the beginning of 1970 in a zone, at an instant.
  func nanoseconds(at now: Instant, _ zone: ValueSource.Zone) -> Int64 {
    let utc = nanosecondsAtZero &+ now.nanoseconds
    let minutes = zone == .local ? standardOffsetMinutes + daylightSavingMinutes : 0
    return utc &+ Int64(minutes) &* 60_000_000_000
  }
}
