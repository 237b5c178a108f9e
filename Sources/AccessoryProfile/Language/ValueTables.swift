extension Language {
  static let valueTables = [
    constantValue, wave, ramp, rampRange, sequence, random, randomRange, counter, counterRange, pattern, clock,
    intervals, replay,
  ]

  /// Generators, told apart by their first key.
  static let generators = [
    constantValue, wave, ramp, sequence, random, counter, pattern, clock, intervals, computedValue, replay,
  ]

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
      .init(name: "period", type: .duration, summary: "How long one wave lasts.", isRequired: true), noise, round,
    ])

  private static let noise = KeyTable.Key(
    name: "noise", type: .number,
    summary: "How far the number strays at the most, another way every 100 ms; 0 if not given.")

  private static let round = KeyTable.Key(
    name: "round", type: .number,
    summary: "What numbers are multiples of, such as 0.1; they are as near as the format has them if not given.")

  static let replay = KeyTable(
    name: "replay",
    keys: [
      .init(
        name: "replay", type: .text, summary: "A CSV file with a line of names, from the profile's folder on.",
        isRequired: true),
      .init(name: "column", type: .text, summary: "The column with the values; the only one if not given."),
      .init(name: "time", type: .text, summary: "The column with the times from which they count, in seconds."),
      .init(
        name: "every", type: .duration, summary: "How long each counts, where there are no times; 1 s if not given."),
      .init(name: "repeat", type: .boolean, summary: "Whether it begins again; true if not given."),
    ])

  static let ramp = KeyTable(
    name: "ramp",
    keys: [
      .init(
        name: "ramp", type: .choice([.text, .mapping("ramp-range")]),
        summary: "So much in so much time, such as '1 kJ per 10 s', or from one number to another.", isRequired: true),
      noise, round,
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
    keys: [
      .init(name: "random", type: .mapping("random-range"), summary: "Numbers within a range.", isRequired: true),
      noise, round,
    ])

  static let randomRange = KeyTable(
    name: "random-range",
    keys: [
      .init(name: "low", type: .number, summary: "The smallest number.", isRequired: true),
      .init(name: "high", type: .number, summary: "The largest number.", isRequired: true),
      .init(name: "every", type: .duration, summary: "How long each stays; 1 s if not given."),
    ])

  static let counter = KeyTable(
    name: "counter",
    keys: [
      .init(name: "counter", type: .mapping("counter-range"), summary: "Numbers in order.", isRequired: true), noise,
      round,
    ])

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

  static let intervals = KeyTable(
    name: "intervals",
    keys: [
      .init(
        name: "intervals", type: .text,
        summary: "The times between events, as many of them as another field says; for a list in a record.",
        isRequired: true),
      .init(name: "per", type: .duration, summary: "The time in which there are so many; 60 s if not given."),
      .init(name: "ticks", type: .number, summary: "How much a second is in the list; 1024 if not given."),
      .init(name: "most", type: .integer(1...255), summary: "How many one value has at the most; 7 if not given."),
    ])
}
