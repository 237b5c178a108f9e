extension Language {
  static let valueTables = [
    constantValue, wave, ramp, rampRange, sequence, random, randomRange, counter, counterRange, pattern, clock,
    numberFormat, structFormat, namesFormat, flagsFormat, listFormat,
  ]

  /// Generators, told apart by their first key.
  static let generators = [constantValue, wave, ramp, sequence, random, counter, pattern, clock]

  /// Formats that are mappings, told apart by their first key.
  static let formats = [numberFormat, structFormat, namesFormat, flagsFormat, listFormat]

  static let constantValue = KeyTable(
    name: "constant-value", keys: [.init(name: "constant", type: .value, summary: "Always this.", isRequired: true)])

  static let wave = KeyTable(
    name: "wave",
    keys: [
      .init(
        name: "wave", type: .names(NumberGenerator.Shape.allCases.map(\.rawValue)), summary: "The shape.",
        isRequired: true),
      .init(name: "low", type: .number, summary: "The smallest number.", isRequired: true),
      .init(name: "high", type: .number, summary: "The largest number.", isRequired: true),
      .init(name: "period", type: .duration, summary: "How long one wave lasts.", isRequired: true),
    ])

  static let ramp = KeyTable(
    name: "ramp",
    keys: [
      .init(
        name: "ramp", type: .choice([.text, .mapping("ramp-range")]),
        summary: "So much in so much time, such as '1 kJ per 10 s', or from one number to another.", isRequired: true)
    ])

  static let rampRange = KeyTable(
    name: "ramp-range",
    keys: [
      .init(name: "from", type: .number, summary: "The first number.", isRequired: true),
      .init(name: "to", type: .number, summary: "The last number, where it stays.", isRequired: true),
      .init(name: "over", type: .duration, summary: "How long it takes.", isRequired: true),
    ])

  static let sequence = KeyTable(
    name: "sequence",
    keys: [
      .init(name: "sequence", type: .list(.value), summary: "Values, one after the other.", isRequired: true),
      .init(name: "every", type: .duration, summary: "How long each stays; 1 s if not given."),
      .init(name: "repeat", type: .boolean, summary: "Whether it begins again; true if not given."),
    ])

  static let random = KeyTable(
    name: "random",
    keys: [.init(name: "random", type: .mapping("random-range"), summary: "Numbers within a range.", isRequired: true)])

  static let randomRange = KeyTable(
    name: "random-range",
    keys: [
      .init(name: "low", type: .number, summary: "The smallest number.", isRequired: true),
      .init(name: "high", type: .number, summary: "The largest number.", isRequired: true),
      .init(name: "every", type: .duration, summary: "How long each stays; 1 s if not given."),
    ])

  static let counter = KeyTable(
    name: "counter",
    keys: [.init(name: "counter", type: .mapping("counter-range"), summary: "Numbers in order.", isRequired: true)])

  static let counterRange = KeyTable(
    name: "counter-range",
    keys: [
      .init(name: "from", type: .number, summary: "The first number; 0 if not given."),
      .init(name: "to", type: .number, summary: "The last number, after which it begins again.", isRequired: true),
      .init(name: "step", type: .number, summary: "The distance; 1 if not given."),
      .init(name: "every", type: .duration, summary: "How long each stays; if not given, until it has been sent."),
    ])

  static let pattern = KeyTable(
    name: "pattern",
    keys: [
      .init(
        name: "pattern", type: .names(["counter"]), summary: "A sequence number of four octets, then fixed octets.",
        isRequired: true),
      .init(name: "length", type: .integer(4...512), summary: "How many octets.", isRequired: true),
    ])

  static let clock = KeyTable(
    name: "clock",
    keys: [
      .init(
        name: "clock", type: .names(ValueSource.Zone.allCases.map(\.rawValue)), summary: "The time of day.",
        isRequired: true)
    ])

  static let numberFormat = KeyTable(
    name: "number-format",
    keys: [
      .init(name: "number", type: .names(IntegerFormat.names), summary: "The width.", isRequired: true),
      .init(
        name: "decimals", type: .integer(0...6), summary: "How many decimal places the number has; 0 if not given."),
    ])

  static let structFormat = KeyTable(
    name: "struct-format",
    keys: [
      .init(name: "struct", type: .dictionary(.value), summary: "Fields and their formats, in order.", isRequired: true)
    ])

  static let namesFormat = KeyTable(
    name: "names-format",
    keys: [
      .init(
        name: "names", type: .dictionary(.integer(0...255)), summary: "Names of an octet's values.", isRequired: true)
    ])

  static let flagsFormat = KeyTable(
    name: "flags-format",
    keys: [
      .init(name: "flags", type: .dictionary(.integer(0...255)), summary: "Names of an octet's bits.", isRequired: true)
    ])

  static let listFormat = KeyTable(
    name: "list-format",
    keys: [.init(name: "list", type: .value, summary: "The format of each member.", isRequired: true)])
}
