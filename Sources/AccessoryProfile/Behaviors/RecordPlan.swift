import BLECore

/// A plan that combines the sources of a record with the fields of its format: the slot of each source, its seed, and the fitting of
/// numbers to the field. It is made once, and then used for every value.
final class RecordPlan: Sendable {
  private let fields: [ValueFormat.Field]
  private let parts: [Part]

  /// The source of one field.
  private struct Part: Sendable {
    /// The position of the field among the fields that values show.
    let slot: Int
    let name: String
    /// The field appears only once in this many values.
    let sampleInterval: Int
    let content: Content
    let other: Other?
  }

  /// The source of a field's value.
  private enum Content: Sendable {
    case constant(ProfileValue)
    case number(NumberGenerator, seed: UInt64, NumberFit)
    /// `rate` is the slot of the field with the number of events.
    case intervals(ValueSource.Intervals, rate: Int?)
    case source(ValueSource, ValueFormat)
  }

  /// The content of a field in its other format, and the flag field that selects it.
  private struct Other: Sendable {
    let slot: Int
    let flag: ValueFormat
    let content: Content
  }

  /// Creates the plan for sources in the order of the fields, from the seed of the whole value.
  init(_ sources: [ValueSource.Field], _ fields: [ValueFormat.Field], seed: UInt64) {
    self.fields = fields
    var parts: [Part] = []
    var next = 0
    for source in sources {
      while next < fields.count, fields[next].name != source.name { next += 1 }
      guard next < fields.count else { break }
      let field = fields[next]
      let seed = SplitMix64.seed(seed, for: field.name)
      parts.append(
        Part(
          slot: next, name: field.name, sampleInterval: field.sampleInterval,
          content: Self.content(source.source, field.format, fields, seed),
          other: field.other.flatMap { other in
            fields.firstIndex { $0.name == other.bit.name }.map {
              Other(
                slot: $0, flag: fields[$0].format, content: Self.content(source.source, other.format, fields, seed))
            }
          }))
    }
    self.parts = parts
  }

  private static func content(
    _ source: ValueSource, _ format: ValueFormat, _ fields: [ValueFormat.Field], _ seed: UInt64
  ) -> Content {
    switch source {
    case .constant(let value): .constant(value)
    case .number(let generator): .number(generator, seed: seed, NumberFit(format))
    case .intervals(let intervals): .intervals(intervals, rate: fields.firstIndex { $0.name == intervals.field })
    default: .source(source, format)
    }
  }

  /// Returns the values of the fields by slot; nil for fields that this value does not have.
  func slots(
    overrides: [String: ProfileValue], _ context: EvaluationContext, _ beats: inout Heartbeat
  ) -> [ProfileValue?] {
    // `init(repeating:count:)` looks up the type of the storage at run time, which costs a tenth of the time for a value.
    var slots: [ProfileValue?] = []
    slots.reserveCapacity(fields.count)
    for _ in fields.indices { slots.append(nil) }
    for place in parts.indices {
      let interval = parts[place].sampleInterval
      if interval > 1, !context.samples.isMultiple(of: interval) { continue }
      slots[parts[place].slot] = value(place, slots, overrides, context, &beats)
    }
    if !overrides.isEmpty {
      for (place, field) in fields.enumerated() { if let value = overrides[field.name] { slots[place] = value } }
    }
    // Decodes fields that were written as octets, because not every kind of object accepts octets in a field.
    for place in slots.indices {
      guard case .object? = slots[place], let octets = slots[place]?.octets else { continue }
      slots[place] = fields[place].format.decode(octets)
    }
    return slots
  }

  private func value(
    _ place: Int, _ slots: [ProfileValue?], _ overrides: [String: ProfileValue], _ context: EvaluationContext,
    _ beats: inout Heartbeat
  ) -> ProfileValue? {
    if let other = parts[place].other, let flag = slots[other.slot], let raw = try? other.flag.raw(flag), raw != 0 {
      return value(of: other.content, parts[place].name, slots, overrides, context, &beats)
    }
    return value(of: parts[place].content, parts[place].name, slots, overrides, context, &beats)
  }

  private func value(
    of content: Content, _ name: String, _ slots: [ProfileValue?], _ overrides: [String: ProfileValue],
    _ context: EvaluationContext, _ beats: inout Heartbeat
  ) -> ProfileValue? {
    switch content {
    case .constant(let value): return value
    case .number(let generator, let seed, let fit):
      let number = generator.value(after: context.elapsed(name), samples: context.samples, seed: seed)
      return fit.value(nearest: number + (context.fieldOffsets[name] ?? 0))
    case .intervals(let intervals, let slot):
      let rate = (overrides[intervals.field] ?? slot.flatMap { slots[$0] })?.number ?? 0
      return .array(beats.intervals(intervals, until: context.now, rate: rate))
    case .source(let source, let format):
      return ValueEvaluator.value(of: source, format, field: name, context, &beats)
    }
  }
}

/// The conversion of generated numbers to a format.
struct NumberFit: Sendable {
  private let range: ClosedRange<Double>
  private let kind: Kind

  private indirect enum Kind: Sendable {
    case whole, fraction
    /// Whole numbers too large for a Double to represent exactly.
    case large(IntegerFormat)
  }

  /// Creates the conversion for a format.
  init(_ format: ValueFormat) {
    switch format {
    case .integer(let integer):
      range = integer.numbers
      kind = integer.isWhole ? range.upperBound < 9e15 ? .whole : .large(integer) : .fraction
    case .medical, .floating:
      range = -Double.infinity...Double.infinity
      kind = .fraction
    default:
      range = 0...Double(format.word?.greatest ?? 255)
      kind = .whole
    }
  }

  /// Returns the number in the format, or the nearest one that fits.
  func value(nearest number: Double) -> ProfileValue {
    let fitting = min(max(number, range.lowerBound), range.upperBound)
    switch kind {
    case .whole: return .int(Int64(clamping: fitting))
    case .fraction: return .double(fitting)
    case .large(let integer): return integer.whole(nearest: fitting)
    }
  }
}
