import BLECore

extension ValueFormat {
  /// The description of an input form for a value. All formats are given in place, none by name. `kind` is one of these:
  ///
  /// - `hex`, `text`: `length` if it is fixed.
  /// - `boolean`, `uuid`, `date-time`, `time-zone`.
  /// - `number`: `min`, `max`, `step`, `unit`, and `special`, the names allowed instead of a number, where they exist.
  /// - `names`, `flags`: `names`, in the order of their numbers, and `max`, the largest number without a name.
  /// - `list`: `of`, the form of its members, and `length` if it is fixed.
  /// - `object`: `fields`, each with `name`, `form`, `optional`, and `default` if it has one.
  public var form: ProfileValue {
    switch self {
    case .hex(let extent): Self.form("hex", ["length": extent.fixedForm])
    case .utf8(let extent): Self.form("text", ["length": extent.fixedForm])
    case .boolean: Self.form("boolean")
    case .uuid: Self.form("uuid")
    case .dateTime: Self.form("date-time")
    case .timeZone: Self.form("time-zone")
    case .integer(let format): format.form
    case .medical(let format):
      Self.form("number", ["unit": format.unit.isEmpty ? nil : .string(format.unit)])
    case .floating: Self.form("number")
    case .named(let names, let word): Self.form("names", Self.fields(names, word))
    case .flags(let names, let word): Self.form("flags", Self.fields(names, word))
    case .list(let member, let extent): Self.form("list", ["of": member.form, "length": extent.fixedForm])
    case .bits(let format): Self.form("object", ["fields": .array(format.fields.map(\.form))])
    case .structure(let format): Self.form("object", ["fields": .array(format.fields.map(\.form))])
    }
  }

  fileprivate static func form(_ kind: String, _ fields: [String: ProfileValue?] = [:]) -> ProfileValue {
    .object(fields.compactMapValues { $0 }.merging(["kind": .string(kind)]) { $1 })
  }

  private static func fields(_ names: [NamedNumber], _ word: Word) -> [String: ProfileValue?] {
    let sorted = names.sorted { $0.value < $1.value }
    return ["names": .array(sorted.map { .string($0.name) }), "max": .whole(word.greatest)]
  }
}

extension ValueFormat.Extent {
  fileprivate var fixedForm: ProfileValue? {
    if case .fixed(let count) = self { .int(Int64(count)) } else { nil }
  }
}

extension IntegerFormat {
  fileprivate var form: ProfileValue {
    let range = numbers
    func number(_ value: Double) -> ProfileValue { Int64(exactly: value).map { .int($0) } ?? .double(value) }
    return ValueFormat.form(
      "number",
      [
        "min": number(range.lowerBound), "max": number(range.upperBound), "step": number(step),
        "unit": unit.isEmpty ? nil : .string(unit),
        "special": special.isEmpty ? nil : .array(special.map { .string($0.name) }),
      ])
  }
}

extension ValueFormat.Field {
  fileprivate var form: ProfileValue {
    var fields: [String: ProfileValue] = [
      "name": .string(name), "form": format.form, "optional": .bool(canBeLeftOut),
    ]
    fields["default"] = defaultValue
    return .object(fields)
  }
}

extension ValueSource {
  /// The ranges of generated numbers: of the value as `""`, or of its fields by name. A form shows them as typical values.
  public var usualNumbers: [String: ClosedRange<Double>] {
    switch self {
    case .number(let generator): generator.range.map { ["": $0] } ?? [:]
    case .record(let fields):
      Dictionary(
        fields.compactMap { field in field.source.usualNumbers[""].map { (field.name, $0) } }, uniquingKeysWith: { $1 })
    case .constant, .sequence, .clock, .intervals, .pattern, .computed, .replay: [:]
    }
  }
}

extension NumberGenerator {
  fileprivate var range: ClosedRange<Double>? {
    guard let low = extremes.min(), let high = extremes.max(), low < high else { return nil }
    return low...high
  }
}
