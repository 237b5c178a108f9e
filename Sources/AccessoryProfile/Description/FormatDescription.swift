import BLECore

extension ValueFormat {
  /// The format as in a profile. Ordered parts are a list, because JSON keys have no order.
  public var described: ProfileValue {
    switch self {
    case .hex(.rest): .string("hex")
    case .hex(let extent): .object(["octets": extent.described])
    case .utf8(.rest): .string("utf8")
    case .utf8(let extent): .object(["text": extent.described])
    case .boolean: .string("bool")
    case .uuid: .string("uuid")
    case .dateTime: .string("date-time")
    case .timeZone: .string("time-zone")
    case .integer(let format): format.described
    case .medical(let format): format.described
    case .floating(let word): Self.described("number", .string("float\(word.bits)"), word)
    case .named(let names, let word): Self.described("names", names, word)
    case .flags(let names, let word): Self.described("flags", names, word)
    case .list(let member, .rest): .object(["list": member.described])
    case .list(let member, let extent): .object(["list": member.described, "length": extent.described])
    case .bits(let format): format.described
    case .structure(let format): format.described
    }
  }

  private static func described(_ head: String, _ names: [NamedNumber], _ word: Word) -> ProfileValue {
    let numbers = Dictionary(names.map { ($0.name, ProfileValue.whole($0.value)) }) { first, _ in first }
    guard case .object(var keys) = described(head, .object(numbers), word) else { return .null }
    if word.bits != 8 { keys["as"] = .string("u\(word.bits)") }
    return .object(keys)
  }

  fileprivate static func described(_ head: String, _ value: ProfileValue, _ word: Word) -> ProfileValue {
    .object(word.isBigEndian && word.octets > 1 ? [head: value, "order": .string("big")] : [head: value])
  }
}

extension ValueFormat.Extent {
  fileprivate var described: ProfileValue {
    switch self {
    case .rest: .string("rest")
    case .fixed(let count): .int(Int64(count))
    case .counted(let octets): .string("u\(octets * 8)")
    case .terminated: .string("terminated")
    }
  }
}

extension IntegerFormat {
  fileprivate var described: ProfileValue {
    guard case .object(var keys) = ValueFormat.described("number", .string(name), word) else { return .null }
    if (-6..<0).contains(exponent) { keys["decimals"] = .int(Int64(-exponent)) }
    if exponent < -6 || exponent > 0 { keys["exponent"] = .int(Int64(exponent)) }
    if multiplier != 1 { keys["multiply"] = .int(Int64(multiplier)) }
    if binaryExponent != 0 { keys["binary-exponent"] = .int(Int64(binaryExponent)) }
    if offset != 0 { keys["offset"] = .double(offset) }
    if !unit.isEmpty { keys["unit"] = .string(unit) }
    if !special.isEmpty {
      keys["special"] = .object(Dictionary(special.map { ($0.name, .whole($0.value)) }) { first, _ in first })
    }
    return keys.count == 1 ? .string(name) : .object(keys)
  }
}

extension MedicalFloat {
  fileprivate var described: ProfileValue {
    let name = ProfileValue.string(isShort ? "sfloat" : "float")
    guard case .object(var keys) = ValueFormat.described("number", name, word) else { return .null }
    if let exponent { keys["exponent"] = .int(Int64(exponent)) }
    if !unit.isEmpty { keys["unit"] = .string(unit) }
    return keys.count == 1 ? name : .object(keys)
  }
}

extension BitsFormat {
  fileprivate var described: ProfileValue {
    let described = members.enumerated().map { place, member in
      ProfileValue.object([member.name.isEmpty ? "_\(place)" : member.name: member.format.described])
    }
    guard case .object(var keys) = ValueFormat.described("bits", .array(described), word) else { return .null }
    keys["as"] = .string("u\(word.bits)")
    return .object(keys)
  }
}

extension StructFormat {
  /// The name of the format, or its fields if it has none.
  fileprivate var described: ProfileValue {
    name.map { .string($0) } ?? .object(["struct": .array(members.map { .object([$0.name: $0.described]) })])
  }
}

extension ValueFormat.Field {
  /// The format, with the field's own keys if there are any.
  fileprivate var described: ProfileValue {
    var keys: [String: ProfileValue] = [:]
    if let defaultValue { keys["default"] = defaultValue }
    switch condition {
    case .bit(let bit, let isInverted)?: keys[isInverted ? "unless" : "if"] = .string("\(bit)")
    case .rest?: keys["optional"] = .bool(true)
    case nil: break
    }
    if let narrow {
      if case .integer(let format) = narrow.format { keys["narrow"] = .string(format.name) }
      keys["wide-if"] = .string("\(narrow.wideBit)")
    }
    if let other {
      keys["other"] = other.format.described
      keys["other-if"] = .string("\(other.bit)")
    }
    switch derivation {
    case .weekday(let field)?: keys["derive"] = .string("weekday(\(field))")
    case .size?: keys["derive"] = .string("size")
    case nil: break
    }
    if let clockPart { keys["clock"] = .string(clockPart.rawValue) }
    if sampleInterval > 1 { keys["in"] = .string("every \(sampleInterval)th") }
    if isInline { keys["inline"] = .bool(true) }
    if keys.isEmpty { return format.described }
    switch format.described {
    case .object(let own): return .object(own.merging(keys) { _, key in key })
    case let name:
      // A format that begins with `number` has these keys next to it.
      keys[format.isNumeric ? "number" : "format"] = name
      return .object(keys)
    }
  }
}

extension ValueSource {
  /// The source as in a profile.
  public var described: ProfileValue {
    switch self {
    case .constant(let value): value
    case .number(let generator): generator.described
    case .sequence(let values, let every, let repeats):
      .object([
        "sequence": .array(values), "every": .string(Durations.text(every)), "repeat": .bool(repeats),
      ])
    case .clock(let zone): .object(["clock": .string(zone.rawValue)])
    case .intervals(let intervals): intervals.described
    case .record(let fields):
      .object(Dictionary(fields.map { ($0.name, $0.source.described) }) { first, _ in first })
    case .pattern(let length): .object(["pattern": .string("counter"), "length": .int(Int64(length))])
    case .replay(let recording): .object(["replay": .int(Int64(recording.values.count))])
    case .computed(let expression): .object(["compute": .string(expression.text)])
    }
  }
}

extension ValueSource.Intervals {
  fileprivate var described: ProfileValue {
    var keys: [String: ProfileValue] = ["intervals": .string(field)]
    let usual = ValueSource.Intervals(field: field)
    if self == usual { return .string("from-\(field)") }
    if per != usual.per { keys["per"] = .string(Durations.text(per)) }
    if ticks != usual.ticks { keys["ticks"] = .double(ticks) }
    if most != usual.most { keys["most"] = .int(Int64(most)) }
    return .object(keys)
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
    case .noisy(let generator, let amount): generator.described(beside: "noise", amount)
    case .rounded(let generator, let unit): generator.described(beside: "round", unit)
    }
  }

  /// Returns the description with one more key.
  private func described(beside key: String, _ number: Double) -> ProfileValue {
    guard case .object(let fields) = described else { return described }
    return .object(fields.merging([key: Self.number(number)]) { first, _ in first })
  }

  /// Returns a number, without a fraction if it is whole.
  private static func number(_ value: Double) -> ProfileValue {
    Int64(exactly: value).map { .int($0) } ?? UInt64(exactly: value).map { .whole($0) } ?? .double(value)
  }
}

extension ProfileValue {
  /// The value on one line, as in a profile: `{ wave: sine, low: 62 }`.
  public var profileText: String {
    switch self {
    case .string(let text): return Self.isPlain(text) ? text : description
    case .array(let elements): return "[\(elements.map(\.profileText).joined(separator: ", "))]"
    case .object(let fields):
      if let octets { return "hex:\(octets.hexadecimal)" }
      // In profiles, the first key of a mapping determines its kind.
      let pairs = fields.sorted { (Self.rank($0.key), $0.key) < (Self.rank($1.key), $1.key) }
      return "{ \(pairs.map { "\($0.key): \($0.value.profileText)" }.joined(separator: ", ")) }"
    default: return description
    }
  }

  private static let heads = [
    "wave", "sequence", "pattern", "intervals", "number", "names", "flags", "list", "text", "octets", "struct", "bits",
    "when", "otherwise", "opcode", "from", "low", "to", "high", "step", "do",
    "error", "after", "ask", "within",
  ]

  private static func rank(_ key: String) -> Int { heads.firstIndex(of: key) ?? heads.count }

  /// Returns whether a text needs no quotes.
  private static func isPlain(_ text: String) -> Bool {
    guard let first = text.unicodeScalars.first, first.properties.isAlphabetic || first.properties.numericType != nil
    else { return false }
    guard Numbers.decimal(text) == nil, !text.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else { return false }
    return text.unicodeScalars.allSatisfy { scalar in
      scalar.isASCII && (scalar.properties.isAlphabetic || "0123456789 .:-_".unicodeScalars.contains(scalar))
    }
  }
}
