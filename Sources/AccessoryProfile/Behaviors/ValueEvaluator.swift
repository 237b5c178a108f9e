import BLECore

/// What a value depends on, apart from its source.
struct EvaluationContext {
  var now: Instant
  /// When the generators of the whole value began.
  var origin: Instant
  /// When those of single fields began again.
  var fieldOrigins: [String: Instant]
  /// What is added to their numbers.
  var fieldOffsets: [String: Double]
  /// How often the value has been sent.
  var samples: Int
  var seed: UInt64
  var clock: WallClock
  /// How far the clock of this characteristic was set ahead, and by what.
  var clockShift: Int64
  var clockAdjusted: [ProfileValue]

  /// How long the generators of a field, or of the whole value, have run.
  func elapsed(_ field: String?) -> Duration { now - (field.flatMap { fieldOrigins[$0] } ?? origin) }
}

/// Turns sources into values.
enum ValueEvaluator {
  /// Energy expended is in the first of so many measurements (Heart Rate Service 3.1.1.3: not in all of them).
  static let measurementsPerEnergy = 10

  /// The octets of a source in which nothing changes; nil for any other.
  static func constant(_ source: ValueSource, _ format: ValueFormat) -> [UInt8]? {
    switch source {
    case .constant(let value): return try? format.encode(value)
    case .record(let fields):
      var values: [String: ProfileValue] = [:]
      for field in fields {
        guard case .constant(let value) = field.source else { return nil }
        values[field.name] = value
      }
      // Octets given for single fields are put together by the fields' own formats.
      return try? format.encode(.object(decodingOctets(values, format)))
    default: return nil
    }
  }

  /// The value of a source, except the fields that `overrides` gives; nil for patterns, which have octets only.
  static func value(
    of source: ValueSource, _ format: ValueFormat, field: String? = nil, overrides: [String: ProfileValue] = [:],
    _ context: EvaluationContext, _ beats: inout Heartbeat
  ) -> ProfileValue? {
    switch source {
    case .constant(let value): return value
    case .number(let generator):
      let seed = field.map { SplitMix64.seed(context.seed, for: $0) } ?? context.seed
      let number = generator.value(after: context.elapsed(field), samples: context.samples, seed: seed)
      return fitted(number + (field.flatMap { context.fieldOffsets[$0] } ?? 0), format)
    case .sequence(let values, let every, let repeats):
      let index = Int(Int64(clamping: (max(0, context.elapsed(field).inSeconds) / every.inSeconds).rounded(.down)))
      return values[repeats ? index % values.count : min(index, values.count - 1)]
    case .clock(let zone): return time(zone, format, context)
    case .intervalsFromRate, .pattern: return nil
    case .record(let fields): return record(fields, format, overrides, context, &beats)
    }
  }

  private static func record(
    _ fields: [ValueSource.Field], _ format: ValueFormat, _ overrides: [String: ProfileValue],
    _ context: EvaluationContext, _ beats: inout Heartbeat
  ) -> ProfileValue {
    var values: [String: ProfileValue] = [:]
    let formats = format.fields ?? []
    for field in fields where overrides[field.name] == nil {
      if case .intervalsFromRate = field.source {
        let rate = (overrides["bpm"] ?? values["bpm"])?.number ?? 0
        values[field.name] = .array(beats.intervals(until: context.now, rate: rate).map { .int(Int64($0)) })
        continue
      }
      guard let fieldFormat = formats.first(where: { $0.name == field.name })?.format else { continue }
      if format == .heartRateMeasurement, field.name == "energy",
        !context.samples.isMultiple(of: measurementsPerEnergy)
      {
        continue
      }
      values[field.name] = value(of: field.source, fieldFormat, field: field.name, context, &beats)
    }
    values.merge(overrides) { _, override in override }
    return .object(decodingOctets(values, format))
  }

  /// Fields whose values were written as octets, as values of their formats: not every object takes octets in a field.
  private static func decodingOctets(_ values: [String: ProfileValue], _ format: ValueFormat) -> [String: ProfileValue]
  {
    var values = values
    for field in format.fields ?? [] {
      if let octets = values[field.name]?.octets { values[field.name] = field.format.decode(octets) }
    }
    return values
  }

  /// A generated number, as near as the format has it.
  private static func fitted(_ number: Double, _ format: ValueFormat) -> ProfileValue {
    guard case .integer(let integer) = format else { return .int(Int64(clamping: min(max(number, 0), 255))) }
    let clamped = integer.clamp(number)
    return integer.whole(nearest: clamped)
  }

  // MARK: Clocks

  /// Whether a format can hold the time of day, or something about it.
  static func canShowTime(_ format: ValueFormat) -> Bool {
    switch format {
    case .currentTime, .dateTime, .timeZone: true
    case .integer(let integer): integer.octets >= 4 && integer.decimals == 0
    default: format == AssignedFormats.localTimeInformation
    }
  }

  private static func time(
    _ zone: ValueSource.Zone, _ format: ValueFormat, _ context: EvaluationContext
  ) -> ProfileValue? {
    let nanoseconds = context.clock.nanoseconds(at: context.now, zone) &+ context.clockShift
    let (whole, rest) = nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    let seconds = rest < 0 ? whole - 1 : whole
    let fraction = rest < 0 ? rest + 1_000_000_000 : rest
    let offset = zone == .local ? context.clock.standardOffsetMinutes : 0
    let zoneText = TimeZoneOffset.text(quarters: Int8(clamping: offset / 15)) ?? "unknown"
    switch format {
    case .integer: return .int(seconds)
    case .timeZone: return .string(zoneText)
    case .dateTime: return .string(CalendarTime(secondsSince1970: seconds).description)
    case .currentTime:
      return .object([
        "time": .string(CalendarTime(secondsSince1970: seconds).description),
        "fractions": .int(fraction * 256 / 1_000_000_000), "adjust": .array(context.clockAdjusted),
      ])
    default:
      // The codes of DST Offset (2A0D) count 15 minutes.
      let saving = zone == .local ? context.clock.daylightSavingMinutes / 15 : 0
      return .object(["time-zone": .string(zoneText), "dst": .int(Int64(saving))])
    }
  }
}

/// When a heart has beaten: the RR intervals since they were asked for last.
struct Heartbeat: Hashable {
  private var last: Instant?

  /// Nothing is known of the time before so long ago.
  private static let memory = Duration.seconds(10)

  /// Forgets the last beat.
  mutating func reset() { last = nil }

  /// The times between the beats up to `now`, in 1/1024 s, the oldest first, of a heart with that many beats per
  /// minute.
  mutating func intervals(until now: Instant, rate: Double) -> [UInt16] {
    guard rate > 0 else { return [] }
    let interval = 60 / rate
    let step = Duration.nanoseconds(Int64(interval * 1e9))
    var beat = last ?? now - .seconds(1)
    if now - beat > Self.memory + step { beat = now - .seconds(1) }
    var intervals: [UInt16] = []
    while beat + step <= now, intervals.count < HeartRateMeasurement.shortestMaximumOfIntervals {
      beat += step
      intervals.append(UInt16(min(65_535, (interval * 1024).rounded())))
    }
    last = beat
    return intervals
  }
}
