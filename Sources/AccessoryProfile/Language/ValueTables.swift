extension Language {
  static let valueTables = [
    constantValue, wave, ramp, rampRange, sequence, random, randomRange, counter, counterRange, pattern, clock,
    intervals, replay, capturedValues,
  ]

  /// The generators, distinguished by their first key.
  package static let generators = [
    constantValue, wave, ramp, sequence, random, counter, pattern, clock, intervals, computedValue, replay,
  ]

  static let constantValue = KeyTable(
    name: "constant-value",
    keys: [.init(name: "constant", type: .value, summary: "Always this value.", isRequired: true)])

  static let wave = KeyTable(
    name: "wave",
    keys: [
      .init(
        name: "wave", type: .names(NumberGenerator.Shape.allCases.map(\.rawValue)), summary: "The shape.",
        isRequired: true),
      .init(name: "low", type: .number, summary: "The smallest number.", isRequired: true),
      .init(name: "high", type: .number, summary: "The largest number.", isRequired: true),
      .init(name: "period", type: .anyTime, summary: "The period of the wave.", isRequired: true), noise, round,
    ])

  private static let noise = KeyTable.Key(
    name: "noise", type: .number,
    summary: "How far the number deviates at most, with a new deviation every 100 ms (default: 0).")

  private static let round = KeyTable.Key(
    name: "round", type: .number,
    summary: "The resolution: numbers are rounded to multiples of this, such as 0.1 (default: the resolution of "
      + "the format).")

  static let replay = KeyTable(
    name: "replay",
    keys: [
      .init(
        name: "replay", type: .choice([.text, .mapping("replay-capture")]),
        summary: "A CSV file with a header line, relative to the profile; or values of a capture.",
        isRequired: true),
      .init(name: "column", type: .text, summary: "The column with the values (default: the only one)."),
      .init(name: "time", type: .text, summary: "The column with the times of the rows, in seconds."),
      .init(
        name: "every", type: .withinDay, summary: "The duration of each row without times (default: 1 s)."),
      .init(name: "repeat", type: .boolean, summary: "Whether it starts over at the end (default: true)."),
    ])

  static let capturedValues = KeyTable(
    name: "replay-capture",
    keys: [
      .init(
        name: "capture", type: .text,
        summary: "A capture file: btsnoop, pcap, pcapng or PacketLogger; relative to the profile.", isRequired: true),
      .init(name: "uuid", type: .uuid, summary: "The characteristic, whose discovery must be in the capture."),
      .init(name: "handle", type: handleType, summary: "Instead of uuid: the handle of its value in the capture."),
      .init(name: "peer", type: .text, summary: "Only connections with this address (default: any)."),
      .init(
        name: "values", type: .list(.names(["notified", "read"])),
        summary: "Which values: those of notifications and indications, those that were read (default: both)."),
    ])

  static let ramp = KeyTable(
    name: "ramp",
    keys: [
      .init(
        name: "ramp", type: .choice([.text, .mapping("ramp-range")]),
        summary: "An increase per time, such as '1 kJ per 10 s', or a range.", isRequired: true),
      noise, round,
    ])

  static let rampRange = KeyTable(
    name: "ramp-range",
    keys: [
      .init(name: "from", type: .number, summary: "The first number.", isRequired: true),
      .init(name: "to", type: .number, summary: "The last number, where it stays.", isRequired: true),
      .init(name: "over", type: .anyTime, summary: "How long it takes.", isRequired: true),
    ])

  static let sequence = KeyTable(
    name: "sequence",
    keys: [
      .init(name: "sequence", type: .list(.value), summary: "Values, one after another.", isRequired: true),
      .init(name: "every", type: .anyTime, summary: "The duration of each value (default: 1 s)."),
      .init(name: "repeat", type: .boolean, summary: "Whether it starts over at the end (default: true)."),
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
      .init(name: "every", type: .anyTime, summary: "The duration of each value (default: 1 s)."),
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
      .init(name: "from", type: .number, summary: "The first number (default: 0)."),
      .init(name: "to", type: .number, summary: "The last number, after which it starts over.", isRequired: true),
      .init(name: "step", type: .number, summary: "The step (default: 1)."),
      .init(name: "every", type: .anyTime, summary: "The duration of each number (default: until it has been sent)."),
    ])

  static let pattern = KeyTable(
    name: "pattern",
    keys: [
      .init(
        name: "pattern", type: .names(["counter"]), summary: "A sequence number of four octets, then fixed octets.",
        isRequired: true),
      .init(name: "length", type: .integer(4...512), summary: "The number of octets.", isRequired: true),
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
        summary: "The times between events, as many as another field says; for a list in a record.",
        isRequired: true),
      .init(name: "per", type: .anyTime, summary: "The time to which that field refers (default: 60 s)."),
      .init(name: "ticks", type: .number, summary: "The number of ticks in a second (default: 1024)."),
      .init(
        name: "most", type: .integer(1...255), summary: "The maximum number of intervals in one value (default: 7)."),
    ])
}
