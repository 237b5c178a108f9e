import AccessoryProfile
import BLECore
import Importing

/// What was learnt about the value of a characteristic, as text of a profile.
package struct LearntValue: Hashable, Sendable {
  /// The octets of a constant, or a generator as YAML; nil for an empty value.
  package var value: ImportedValue?
  /// What stands after `format:`; nil if the type of the characteristic determines the format.
  package var format: String?
  /// What stands after `notify:` or `indicate:`; nil for the default.
  package var rhythm: String?
  /// The evidence for it, as a comment.
  package var reason: String
}

/// Recognizes the rule behind the values of one characteristic.
package struct ValueLearner {
  /// The values, in order of time.
  package var samples: [ObservedServer.Sample]
  /// The type of the characteristic.
  package var uuid: BluetoothUUID
  /// The handle of its value.
  package var handle: UInt16
  /// The capture to replay if no rule fits, relative to the profile; nil for none.
  package var recording: String?

  /// Creates a learner for the values of a characteristic.
  package init(_ samples: [ObservedServer.Sample], uuid: BluetoothUUID, handle: UInt16, recording: String?) {
    self.samples = samples
    self.uuid = uuid
    self.handle = handle
    self.recording = recording
  }

  private static let currentTime = BluetoothUUID(0x2A2B)

  private var pushes: [ObservedServer.Sample] { samples.filter { $0.origin != .read } }

  /// Returns what the values show; nil if there are none.
  package func learn() -> LearntValue? {
    guard let first = samples.first else { return nil }
    let isConstant = samples.allSatisfy { $0.value == first.value }
    if isConstant, uuid != Self.currentTime {
      var value = constant(first.value)
      if let rhythm { value.rhythm = rhythm.text } else if pushes.count > 1 { return replay ?? value }
      return value
    }
    if let clock { return clock }
    let isIrregular = pushes.count > 1 && rhythm == nil
    return (isIrregular ? replay ?? generated : generated ?? replay) ?? constant(first.value)
  }

  // MARK: Constants

  private var assigned: ValueFormat { .assigned(to: uuid) }

  private func constant(_ octets: [UInt8]) -> LearntValue {
    var reason = ""
    if let first = samples.first, !samples.allSatisfy({ $0.value == first.value }) {
      reason = "the first of \(samples.count) values"
    }
    return LearntValue(value: octets.isEmpty ? nil : .octets(octets), reason: reason)
  }

  // MARK: Rhythm

  /// The regular interval of the sent values; nil if there is none.
  private var rhythm: (text: String, seconds: Double)? {
    let times = pushes.map { Double($0.time &- samples[0].time) / 1e9 }
    guard times.count >= 4, let first = times.first, let last = times.last, last > first else { return nil }
    let gaps = zip(times.dropFirst(), times).map { $0 - $1 }.sorted()
    let median = gaps[gaps.count / 2]
    let regular = gaps.filter { abs($0 - median) <= max(0.06, median * 0.12) }
    let isRegular = regular.count * 10 >= gaps.count * 8
    // Without a recording to replay, irregular values get their mean interval.
    guard isRegular || recording == nil else { return nil }
    let mean = isRegular ? regular.reduce(0, +) / Double(regular.count) : (last - first) / Double(gaps.count)
    // Below 20 ms the link sets the pace.
    guard mean >= 0.02 else { return ("{ every: buffer }", mean) }
    return ("{ every: \(RoundText.duration(mean)) }", mean)
  }

  // MARK: Clocks

  /// A time that advances with the clock.
  private var clock: LearntValue? {
    guard case .string = time(of: samples[0].value) ?? .null else { return nil }
    let instants = samples.compactMap { sample in seconds(of: sample.value).map { (Double(sample.time) / 1e9, $0) } }
    guard let first = instants.first, instants.count == samples.count else { return nil }
    guard instants.allSatisfy({ abs(($0.1 - first.1) - ($0.0 - first.0)) < 2.5 }) else { return nil }
    var value = LearntValue(
      value: .yaml("{ clock: local }"),
      reason:
        "a time that advances with the clock, \(samples.count == 1 ? "as its type says" : "in \(samples.count) values")"
    )
    value.rhythm = rhythm?.text
    return value
  }

  /// Returns the date and time in a value: the whole value, or the field of Current Time.
  private func time(of octets: [UInt8]) -> ProfileValue? {
    let value = assigned.decode(octets)
    switch value {
    case .string(let text) where CalendarTime(text) != nil: return value
    case .object(let fields) where uuid == Self.currentTime:
      return fields.values.first { if case .string(let text) = $0 { CalendarTime(text) != nil } else { false } }
    default: return nil
    }
  }

  private func seconds(of octets: [UInt8]) -> Double? {
    guard case .string(let text)? = time(of: octets) else { return nil }
    return CalendarTime(text).map { Double($0.secondsSince1970) }
  }

  // MARK: Generators

  private var generated: LearntValue? {
    // Only the sent values, all of them, can show a counter.
    let isPushed = pushes.count >= 5
    let chosen = isPushed ? pushes : samples
    let (format, name) = numberFormat(of: chosen)
    let values = chosen.map { format.decode($0.value) }
    guard values.allSatisfy({ $0.octets == nil }) else { return nil }
    let times = chosen.map { Double($0.time &- chosen[0].time) / 1e9 }
    let rule: (text: String, reason: String)?
    if case .structure(let layout) = format {
      rule = fields(of: values, times, layout, isPushed: isPushed)
    } else {
      let numbers = values.compactMap(\.number)
      guard numbers.count == values.count else { return nil }
      rule = Self.rule(NumberSeries(times: times, values: numbers), isPushed: isPushed, format)
    }
    guard let rule else { return nil }
    var value = LearntValue(value: .yaml(rule.text), format: name, reason: rule.reason)
    value.rhythm = rhythm?.text
    return value
  }

  /// Returns the assigned format, or else an integer format if all values have its width.
  private func numberFormat(of samples: [ObservedServer.Sample]) -> (ValueFormat, name: String?) {
    if assigned != .octets { return (assigned, nil) }
    let sizes = Set(samples.map(\.value.count))
    guard sizes.count == 1, let size = sizes.first, let name = [1: "u8", 2: "u16", 4: "u32"][size] else {
      return (assigned, nil)
    }
    return (ValueFormat.integer(IntegerFormat(octets: size)), name)
  }

  /// Returns a rule for each field of a structure.
  private func fields(
    of values: [ProfileValue], _ times: [Double], _ layout: StructFormat, isPushed: Bool
  ) -> (text: String, reason: String)? {
    var objects: [[String: ProfileValue]] = []
    for value in values {
      guard case .object(let fields) = value else { return nil }
      objects.append(fields)
    }
    var parts: [String] = []
    var reasons: [String] = []
    for field in layout.fields {
      let places = objects.indices.filter { objects[$0][field.name] != nil }
      guard !places.isEmpty else { continue }
      let found = places.compactMap { objects[$0][field.name] }
      // The times between heartbeats follow from their rate.
      if field.name == "rr", objects[0]["bpm"] != nil {
        parts.append("rr: { intervals: bpm }")
        continue
      }
      // An optional field needs a recording, unless its format says how often it occurs.
      guard places.count == objects.count || field.sampleInterval > 1 else { return nil }
      let isWhole = isPushed && places.count == objects.count
      guard let (text, reason) = Self.field(field, found, places.map { times[$0] }, isPushed: isWhole) else {
        return nil
      }
      parts.append("\(field.name): \(text)")
      if let reason { reasons.append("\(field.name) \(reason)") }
    }
    guard !parts.isEmpty else { return nil }
    return ("{ \(parts.joined(separator: ", ")) }", reasons.joined(separator: "; "))
  }

  /// Returns a constant or a generator for a field; nil if nothing fits.
  private static func field(
    _ field: ValueFormat.Field, _ found: [ProfileValue], _ times: [Double], isPushed: Bool
  ) -> (text: String, reason: String?)? {
    let first = ValueText.text(of: found[0], in: field.format)
    if found.allSatisfy({ $0 == found[0] }) { return first.map { ($0, nil) } }
    let numbers = found.compactMap(\.number)
    if numbers.count == found.count,
      let rule = rule(NumberSeries(times: times, values: numbers), isPushed: isPushed, field.format)
    {
      return (rule.text, rule.reason)
    }
    // Too few values for a rule: a constant is better than nothing.
    guard found.count < 5 else { return nil }
    return first.map { ($0, "from \(found.count) values") }
  }

  /// The ends to assume for a counter whose end was not seen: the first that its format can hold.
  private static let counterEnds: [Double] = [4_294_967_295, 65_535, 255]

  /// Returns the generator for a series.
  private static func rule(
    _ series: NumberSeries, isPushed: Bool, _ format: ValueFormat
  ) -> (text: String, reason: String)? {
    func text(_ number: Double) -> String { RoundText.number(number) }
    // A fit can exceed the range of the format a little.
    func held(_ number: Double, _ seen: Double) -> String { text(format.holds(number) ? number : seen) }
    switch series.pattern(isPushed: isPushed) {
    case .constant(let value): return (text(value), "did not change")
    case .counter(let from, let to, let step):
      let end = to.isFinite ? to : Self.counterEnds.first { format.holds($0) } ?? series.values.max() ?? from
      return ("{ counter: { from: \(text(from)), to: \(text(end)), step: \(text(step)) } }", "counted")
    // A value that grows from zero keeps growing.
    case .ramp(let from, let to, let over) where from == 0 && to > 0:
      let steps = zip(series.values.dropFirst(), series.values).map { $0 - $1 }.filter { $0 > 0 }
      guard let step = steps.min() else { return nil }
      return ("{ ramp: \(text(step)) per \(RoundText.duration(over * step / to)) }", "grew evenly from 0")
    case .ramp(let from, let to, let over):
      return (
        "{ ramp: { from: \(text(from)), to: \(text(to)), over: \(RoundText.duration(over)) } }",
        "changed evenly in \(RoundText.duration(over))"
      )
    case .sine(let low, let high, let period):
      return (
        "{ wave: sine, low: \(held(low, series.values.min() ?? low)), high: \(held(high, series.values.max() ?? high)), "
          + "period: \(RoundText.duration(period)) }",
        "followed a sine"
      )
    case .wander(let low, let high, let period):
      return (
        "{ wave: random-walk, low: \(text(low)), high: \(text(high)), period: \(RoundText.duration(period)) }",
        "wandered"
      )
    case .random(let low, let high, let every):
      return ("{ random: { low: \(text(low)), high: \(text(high)), every: \(RoundText.duration(every)) } }", "jumped")
    case nil: return nil
    }
  }

  // MARK: Recordings

  private var replay: LearntValue? {
    guard let recording, samples.count > 1 else { return nil }
    let origin = pushes.count > 1 ? ", values: [notified]" : ""
    let number = handle.hexadecimalText
    return LearntValue(
      value: .yaml("{ replay: { capture: \(YAMLScalar.quoted(recording)), handle: \(number)\(origin) } }"),
      reason: "no simple rule in \(samples.count) values")
  }
}
