import BLECore

extension ValueFormat {
  /// The format as a profile writes it. What has an order is a list, because the keys of JSON have none.
  public var described: ProfileValue {
    switch self {
    case .octets: .string("hex")
    case .text: .string("utf8")
    case .boolean: .string("bool")
    case .uuid: .string("uuid")
    case .dateTime: .string("date-time")
    case .timeZone: .string("time-zone")
    case .currentTime: .string("current-time")
    case .heartRateMeasurement: .string("heart-rate-measurement")
    case .integer(let format) where format.decimals == 0: .string(format.name)
    case .integer(let format):
      .object(["number": .string(format.name), "decimals": .int(Int64(format.decimals))])
    case .named(let names): .object(["names": Self.described(names)])
    case .flags(let names): .object(["flags": Self.described(names)])
    case .list(let member): .object(["list": member.described])
    case .structure(let fields):
      .object(["struct": .array(fields.map { .object([$0.name: $0.format.described]) })])
    }
  }

  private static func described(_ names: [NamedNumber]) -> ProfileValue {
    .object(Dictionary(names.map { ($0.name, .int(Int64($0.value))) }) { first, _ in first })
  }
}

extension ValueSource {
  /// The source as a profile writes it.
  public var described: ProfileValue {
    switch self {
    case .constant(let value): value
    case .number(let generator): generator.described
    case .sequence(let values, let every, let repeats):
      .object([
        "sequence": .array(values), "every": .string(Durations.text(every)), "repeat": .bool(repeats),
      ])
    case .clock(let zone): .object(["clock": .string(zone.rawValue)])
    case .intervalsFromRate: .string("from-bpm")
    case .record(let fields):
      .object(Dictionary(fields.map { ($0.name, $0.source.described) }) { first, _ in first })
    case .pattern(let length): .object(["pattern": .string("counter"), "length": .int(Int64(length))])
    }
  }
}

extension NumberGenerator {
  fileprivate var described: ProfileValue {
    switch self {
    case .wave(let shape, let low, let high, let period):
      .object([
        "wave": .string(shape.rawValue), "low": Self.number(low), "high": Self.number(high),
        "period": .string(Durations.text(period)),
      ])
    case .ramp(let from, let to, let over):
      .object([
        "ramp": .object([
          "from": Self.number(from), "to": Self.number(to), "over": .string(Durations.text(over)),
        ])
      ])
    case .rate(let amount, let per):
      .object(["ramp": .string("\(Self.number(amount)) per \(Durations.text(per))")])
    case .random(let low, let high, let every):
      .object([
        "random": .object([
          "low": Self.number(low), "high": Self.number(high), "every": .string(Durations.text(every)),
        ])
      ])
    case .counter(let from, let to, let step, let every):
      .object([
        "counter": .object(
          ["from": Self.number(from), "to": Self.number(to), "step": Self.number(step)].merging(
            every.map { ["every": .string(Durations.text($0))] } ?? [:]
          ) { first, _ in first })
      ])
    }
  }

  /// A number without a fraction where it has none.
  private static func number(_ value: Double) -> ProfileValue {
    Int64(exactly: value).map { .int($0) } ?? UInt64(exactly: value).map { .whole($0) } ?? .double(value)
  }
}

extension ProfileValue {
  /// The value in one line, as a profile would write it: `{ wave: sine, low: 62 }`.
  public var profileText: String {
    switch self {
    case .string(let text): return Self.isPlain(text) ? text : description
    case .array(let elements): return "[\(elements.map(\.profileText).joined(separator: ", "))]"
    case .object(let fields):
      if let octets { return "hex:\(octets.hexadecimal)" }
      // What a mapping is about is its first key in profiles.
      let pairs = fields.sorted { (Self.rank($0.key), $0.key) < (Self.rank($1.key), $1.key) }
      return "{ \(pairs.map { "\($0.key): \($0.value.profileText)" }.joined(separator: ", ")) }"
    default: return description
    }
  }

  private static let heads = [
    "wave", "sequence", "pattern", "number", "when", "otherwise", "opcode", "from", "low", "to", "high", "step", "do",
    "error", "after", "ask", "within",
  ]

  private static func rank(_ key: String) -> Int { heads.firstIndex(of: key) ?? heads.count }

  /// Whether a text needs no quotes.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic || first.properties.numericType != nil
    else { return false }
    guard Numbers.decimal(text) == nil, !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789 .:-_".unicodeScalars.contains(scalar))
    }
  }
}
