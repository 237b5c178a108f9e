import BLECore

/// The inputs of a value other than its source.
struct EvaluationContext {
  var now: Instant
  /// The start time of the generators of the whole value.
  var origin: Instant
  /// The times at which generators of single fields were restarted.
  var fieldOrigins: [String: Instant]
  /// The offsets of the fields' numbers.
  var fieldOffsets: [String: Double]
  /// The number of times the value has been sent.
  var samples: Int
  var seed: UInt64
  var clock: WallClock
  /// The offset of this characteristic's clock, and the reasons for the adjustment.
  var clockShift: Int64
  var clockAdjusted: [ProfileValue]
  /// Makes the environment of the expressions; nil if the source has none. It is large, so it is made only when needed.
  var environment: (() -> RuleEnvironment)?

  /// Returns how long the generators of a field, or of the whole value, have run.
  func elapsed(_ field: String?) -> Duration { now - (field.flatMap { fieldOrigins[$0] } ?? origin) }
}

/// Evaluates sources.
enum ValueEvaluator {
  /// Returns the octets of a source without changing parts; nil for any other source.
  static func constant(_ source: ValueSource, _ format: ValueFormat) -> [UInt8]? {
    constantValue(source, format).flatMap { try? format.encode($0) }
  }

  private static func constantValue(_ source: ValueSource, _ format: ValueFormat) -> ProfileValue? {
    switch source {
    case .constant(let value): return value
    case .record(let fields):
      var values: [String: ProfileValue] = [:]
      for field in fields {
        guard let fieldFormat = format.fields?.first(where: { $0.name == field.name })?.format,
          let value = constantValue(field.source, fieldFormat)
        else { return nil }
        // Decoded, because not every kind of object accepts octets in a field.
        values[field.name] = value.octets.map { fieldFormat.decode($0) } ?? value
      }
      return .object(values)
    default: return nil
    }
  }

  /// Returns the plan for a record; nil for any other source.
  static func plan(for source: ValueSource, _ format: ValueFormat, seed: UInt64) -> RecordPlan? {
    guard case .record(let sources) = source else { return nil }
    return RecordPlan(sources, format.fields ?? [], seed: seed)
  }

  /// Returns the octets of a source, except the fields in `overrides`; nil for patterns, and for values that the format cannot hold.
  static func octets(
    of source: ValueSource, _ format: ValueFormat, plan: RecordPlan? = nil, overrides: [String: ProfileValue],
    _ context: EvaluationContext, _ beats: inout Heartbeat
  ) -> [UInt8]? {
    guard case .structure(let layout) = format, let plan = plan ?? self.plan(for: source, format, seed: context.seed)
    else {
      return value(of: source, format, overrides: overrides, context, &beats).flatMap { try? format.encode($0) }
    }
    var octets: [UInt8] = []
    octets.reserveCapacity(20)
    let slots = plan.slots(overrides: overrides, context, &beats)
    do {
      try layout.append(slots: slots, to: &octets)
      return octets
    } catch {
      return nil
    }
  }

  /// Returns the value of a source, except the fields in `overrides`; nil for patterns, which exist only as octets, and for intervals
  /// outside a record.
  static func value(
    of source: ValueSource, _ format: ValueFormat, field: String? = nil, overrides: [String: ProfileValue] = [:],
    _ context: EvaluationContext, _ beats: inout Heartbeat
  ) -> ProfileValue? {
    switch source {
    case .constant(let value): return value
    case .number(let generator):
      let seed = field.map { SplitMix64.seed(context.seed, for: $0) } ?? context.seed
      let number = generator.value(after: context.elapsed(field), samples: context.samples, seed: seed)
      return NumberFit(format).value(nearest: number + (field.flatMap { context.fieldOffsets[$0] } ?? 0))
    case .sequence(let values, let every, let repeats):
      let index = Int(Int64(clamping: (max(0, context.elapsed(field).inSeconds) / every.inSeconds).rounded(.down)))
      return values[repeats ? index % values.count : min(index, values.count - 1)]
    case .replay(let recording): return recording.value(after: context.elapsed(field))
    case .clock(let zone): return TimeOfDay(zone, context).value(format)
    case .intervals, .pattern: return nil
    case .computed(let expression):
      guard var environment = context.environment?() else { return nil }
      return (try? expression.evaluate(in: &environment)).map { format.fitting($0) }
    case .record(let fields):
      let known = format.fields ?? []
      let slots = RecordPlan(fields, known, seed: context.seed).slots(overrides: overrides, context, &beats)
      var values: [String: ProfileValue] = [:]
      for (field, value) in zip(known, slots) { values[field.name] = value }
      return .object(values)
    }
  }
}

/// The time of day as shown by the clocks of profiles.
private struct TimeOfDay {
  private var seconds: Int64
  private var nanoseconds: Int64
  private var zone: String
  private var daylightSaving: Int64
  private var adjusted: [ProfileValue]

  init(_ zone: ValueSource.Zone, _ context: EvaluationContext) {
    let now = context.clock.nanoseconds(at: context.now, zone) &+ context.clockShift
    let (whole, rest) = now.quotientAndRemainder(dividingBy: 1_000_000_000)
    seconds = rest < 0 ? whole - 1 : whole
    nanoseconds = rest < 0 ? rest + 1_000_000_000 : rest
    let offset = zone == .local ? context.clock.standardOffsetMinutes : 0
    self.zone = TimeZoneOffset.text(quarters: Int8(clamping: offset / 15)) ?? "unknown"
    // The DST Offset characteristic (2A0D) counts in units of 15 minutes.
    daylightSaving = zone == .local ? Int64(context.clock.daylightSavingMinutes / 15) : 0
    adjusted = context.clockAdjusted
  }

  /// Returns the time in a format; nil if the format cannot show it.
  func value(_ format: ValueFormat) -> ProfileValue? {
    switch format {
    case .integer: return .int(seconds)
    case .timeZone: return part(.zone)
    case .dateTime: return part(.time)
    case .structure(let layout):
      var fields: [String: ProfileValue] = [:]
      for (slot, part) in layout.clockSlots { fields[layout.fields[slot].name] = self.part(part) }
      return .object(fields)
    default: return nil
    }
  }

  private func part(_ part: ValueFormat.ClockPart) -> ProfileValue {
    switch part {
    case .time: .string(CalendarTime(secondsSince1970: seconds).description)
    case .fractions: .int(nanoseconds * 256 / 1_000_000_000)
    case .adjust: .array(adjusted)
    case .zone: .string(zone)
    case .daylightSaving: .int(daylightSaving)
    }
  }
}

extension ValueFormat {
  /// Whether the format can hold the time of day or a part of it.
  var canShowTime: Bool {
    switch self {
    case .dateTime, .timeZone: true
    case .integer(let integer): integer.octets >= 4 && integer.isPlain
    case .structure(let layout): !layout.clockSlots.isEmpty
    default: false
    }
  }

  /// Whether a value of the format can set the clock.
  package var canSetTime: Bool {
    if case .structure(let layout) = self { layout.clockSlots.contains { $0.part == .time } } else { false }
  }

  /// Decodes a time as seconds and nanoseconds since 1970. Returns nil if the octets are not a time, or if the day of the week does not
  /// match.
  func time(_ octets: [UInt8]) -> (seconds: Int64, nanoseconds: Int64)? {
    guard case .structure(let layout) = self, case .object(let values) = decode(octets), values["hex"] == nil else {
      return nil
    }
    func value(_ part: ClockPart) -> ProfileValue? {
      layout.clockSlots.first { $0.part == part }.flatMap { values[layout.fields[$0.slot].name] }
    }
    guard case .string(let text)? = value(.time), let time = CalendarTime(text) else { return nil }
    for field in layout.fields {
      guard case .weekday = field.derivation, let day = values[field.name], let given = try? field.format.raw(day),
        given != 0
      else { continue }
      if given != time.dayOfWeek { return nil }
    }
    let fractions = Int64(value(.fractions)?.number ?? 0)
    return (time.secondsSince1970, fractions * 1_000_000_000 / 256)
  }
}

/// A repeating event such as a heartbeat, and the intervals between occurrences since the last query.
struct Heartbeat: Hashable {
  private var last: Instant?

  /// The longest past time, in nanoseconds, for which beats are generated.
  private static let memory: Int64 = 10_000_000_000

  /// Forgets the last beat.
  mutating func reset() { last = nil }

  /// Continues later by `pause`.
  mutating func resume(after pause: Duration) { last = last.map { $0 + pause } }

  /// Returns the intervals between the beats up to `now`, the oldest first, with `rate` beats per period of the source.
  mutating func intervals(_ source: ValueSource.Intervals, until now: Instant, rate: Double) -> [ProfileValue] {
    guard rate > 0 else { return [] }
    let interval = source.per.inSeconds / rate
    // Calculated in whole nanoseconds, because arithmetic with `Duration` is 128 bits wide.
    let step = Int64(min(interval, 1e9) * 1e9)
    guard step > 0 else { return [] }
    var beat = last ?? now - .seconds(1)
    var elapsed = now.nanoseconds &- beat.nanoseconds
    if elapsed > Self.memory + step {
      beat = now - .seconds(1)
      elapsed = 1_000_000_000
    }
    let count = min(Int(max(elapsed, 0) / step), max(source.most, 0))
    last = Instant(nanoseconds: beat.nanoseconds &+ Int64(count) &* step)
    let value = ProfileValue.int(min(65_535, Int64(clamping: interval * source.ticks)))
    return (0..<count).map { _ in value }
  }
}
