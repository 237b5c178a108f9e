import BLECore

/// The source of a characteristic's value.
public enum ValueSource: Hashable, Sendable {
  /// A value, or a part of one, that stays the same until it is set.
  case constant(ProfileValue)
  /// A number that changes with time.
  case number(NumberGenerator)
  /// Values in order, each for an interval. After the last one, it starts over or stays there.
  case sequence([ProfileValue], every: Duration, repeats: Bool)
  /// The time of day in the characteristic's format.
  case clock(Zone)
  /// The intervals between events whose rate is another field. Allowed only in a record, after that field.
  case intervals(Intervals)
  /// A separate source for each field.
  case record([Field])
  /// A test pattern of `length` octets: a 4-octet little-endian sequence number that increases by one with each value, followed by octets
  /// that count up.
  case pattern(length: Int)
  /// The result of an expression.
  case computed(Expression)
  /// A recording.
  case replay(Recording)

  /// The zone of a clock's time.
  public enum Zone: String, Hashable, Sendable, CaseIterable { case local, utc }

  /// The intervals between events such as heartbeats.
  public struct Intervals: Hashable, Sendable {
    /// The name of the field with the number of events.
    public var field: String
    /// The period in which that number of events occurs.
    public var per = Duration.seconds(60)
    /// The number of ticks per second in the values.
    public var ticks = 1024.0
    /// The maximum number of intervals in one value. With 7, a Heart Rate Measurement with all other fields fits the default MTU.
    public var most = 7

    /// Creates intervals in units of 1/1024 s, from a field with the number of events per minute.
    public init(field: String) { self.field = field }
  }

  /// Whether the source is a list of captured values, each of which is sent again.
  var isCaptured: Bool { if case .replay(let recording) = self { recording.isCaptured } else { false } }

  /// A list of values with their start times.
  public struct Recording: Hashable, Sendable {
    /// The start times of the values, relative to the beginning, in ascending order.
    public var times: [Duration]
    /// The values, one for each time.
    public var values: [ProfileValue]
    /// The time at which the recording ends.
    public var end: Duration
    /// Whether the recording repeats after its end. Otherwise, the last value stays.
    public var repeats: Bool
    /// Whether each value was captured when it was sent, and so is sent again even if it equals the previous one.
    public var isCaptured = false

    /// Returns the value after a time. Before the first start time, it is the first value.
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

    /// Returns the start time of the next value; nil if there is none.
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

    /// The shortest duration of a value.
    var shortest: Duration { zip(times.dropFirst(), times).map { $0 - $1 }.min() ?? end }
  }

  /// A field of a record.
  public struct Field: Hashable, Sendable {
    /// The name of the field.
    public var name: String
    /// The source of its value.
    public var source: ValueSource

    /// Creates a field with a source.
    public init(_ name: String, _ source: ValueSource) {
      self.name = name
      self.source = source
    }
  }

  /// Whether no part of the value ever changes by itself.
  package var isConstant: Bool {
    switch self {
    case .constant: true
    case .record(let fields): fields.allSatisfy(\.source.isConstant)
    default: false
    }
  }

  /// Returns whether a value of a format depends on how often, or when, it has been sent.
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

/// The current time, for clocks in profiles.
package struct WallClock: Hashable, Sendable {
  /// Nanoseconds from the beginning of 1970, UTC, to `Instant.zero`; negative if `Instant.zero` is earlier.
  package var nanosecondsAtZero: Int64
  /// The offset of standard time from UTC in minutes, positive to the east.
  package var standardOffsetMinutes: Int
  /// The present daylight saving offset in minutes: 0, 30, 60 or 120.
  package var daylightSavingMinutes: Int

  /// Creates a clock that shows that time at `Instant.zero`.
  package init(nanosecondsAtZero: Int64 = 0, standardOffsetMinutes: Int = 0, daylightSavingMinutes: Int = 0) {
    self.nanosecondsAtZero = nanosecondsAtZero
    self.standardOffsetMinutes = standardOffsetMinutes
    self.daylightSavingMinutes = daylightSavingMinutes
  }

  /// Returns the nanoseconds since the beginning of 1970 in a zone, at an instant.
  func nanoseconds(at now: Instant, _ zone: ValueSource.Zone) -> Int64 {
    let utc = nanosecondsAtZero &+ now.nanoseconds
    let minutes = zone == .local ? standardOffsetMinutes + daylightSavingMinutes : 0
    return utc &+ Int64(minutes) &* 60_000_000_000
  }
}
