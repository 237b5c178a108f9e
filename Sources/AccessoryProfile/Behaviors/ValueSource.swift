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
  /// The RR intervals of a heart that beats as often as the field `bpm` says.
  case intervalsFromRate
  /// Each field from a source of its own.
  case record([Field])
  /// So many octets: a sequence number of four, little endian, that is one more in each value, and behind it octets
  /// that count up from 0.
  case pattern(length: Int)

  /// Which time a clock shows.
  public enum Zone: String, Hashable, Sendable, CaseIterable { case local, utc }

  /// A field of a record.
  public struct Field: Hashable, Sendable {
    public var name: String
    public var source: ValueSource

    /// A field with that source.
    public init(_ name: String, _ source: ValueSource) {
      self.name = name
      self.source = source
    }
  }

  /// Whether nothing in it ever changes by itself.
  var isConstant: Bool {
    switch self {
    case .constant: true
    case .record(let fields): fields.allSatisfy(\.source.isConstant)
    default: false
    }
  }

  /// Whether it depends on how often the value has been sent, or on when.
  var countsSamples: Bool {
    switch self {
    case .number(let generator): generator.countsSamples
    case .intervalsFromRate, .pattern: true
    case .record(let fields): fields.contains { $0.source.countsSamples }
    case .constant, .sequence, .clock: false
    }
  }
}

/// What time it is, for clocks in profiles.
public struct WallClock: Hashable, Sendable {
  /// Nanoseconds from the beginning of 1970, UTC, to `Instant.zero`; negative when the instant's zero is before.
  public var nanosecondsAtZero: Int64
  /// How far standard time is east of UTC, in minutes.
  public var standardOffsetMinutes: Int
  /// How far the clocks are ahead of standard time now, in minutes: 0, 30, 60 or 120.
  public var daylightSavingMinutes: Int

  /// A clock that shows that time at `Instant.zero`.
  public init(nanosecondsAtZero: Int64 = 0, standardOffsetMinutes: Int = 0, daylightSavingMinutes: Int = 0) {
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
