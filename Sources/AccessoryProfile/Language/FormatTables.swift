extension Language {
  /// Formats that are mappings, told apart by their first key.
  static let formats = [
    numberFormat, structFormat, bitsFormat, namesFormat, flagsFormat, listFormat, textFormat, octetsFormat, namedFormat,
  ]

  static let orders = ["little", "big"]
  static let clockParts = ValueFormat.ClockPart.allCases.map(\.rawValue)
  private static let lengths = ["rest", "u8", "u16", "u32"]

  private static let order = KeyTable.Key(
    name: "order", type: .names(orders),
    summary: "Which octet of integers comes first, the least or the most significant; little if not given.")

  private static let width = KeyTable.Key(
    name: "as", type: .names(IntegerFormat.names.filter { $0.hasPrefix("u") }),
    summary: "The integer that holds it; u8 if not given, or of bits as many octets as they take.")

  /// What fields of a struct have besides the keys of their formats.
  static let fieldKeys: [KeyTable.Key] = [
    .init(name: "default", type: .value, summary: "The value when none is given."),
    .init(
      name: "if", type: .text,
      summary: "FIELD.BIT: the field is there when that bit is set, and the bit is set when the field is given."),
    .init(
      name: "unless", type: .text,
      summary: "FIELD.BIT: the field is there when that bit is not set, and the bit is set when the field is not given."
    ),
    .init(name: "optional", type: .boolean, summary: "The last field is there when octets are left for it."),
    .init(
      name: "narrow", type: .names(IntegerFormat.names), summary: "A narrower integer, for numbers that fit it."),
    .init(name: "wide-if", type: .text, summary: "FIELD.BIT: the bit that is set when the number is not narrow."),
    .init(name: "other", type: .format, summary: "Another format of the same number, in another unit."),
    .init(name: "other-if", type: .text, summary: "FIELD.BITS: the field has the other format when they are not zero."),
    .init(
      name: "derive", type: .text,
      summary: "What the field follows from when it is not given: weekday(FIELD), or size, the octets of the struct."),
    .init(
      name: "clock", type: .names(clockParts), summary: "The part of the time that the generator clock puts here."),
    .init(
      name: "in", type: .text, summary: "'every 10th': a generated value is in the first of so many that are sent."),
    .init(
      name: "inline", type: .boolean, summary: "Whether fields of bits stand beside the other fields of the struct."),
  ]

  static let numberFormat = KeyTable(
    name: "number-format",
    keys: [
      .init(name: "number", type: .names(ProfileLoader.numberNames), summary: "The width.", isRequired: true),
      .init(
        name: "decimals", type: .integer(0...6), summary: "How many decimal places the number has; 0 if not given."),
      .init(name: "multiply", type: .integer(1...1_000_000), summary: "What the integer counts; 1 if not given."),
      .init(
        name: "exponent", type: .integer(-128...127),
        summary: "The power of ten that an integer counts; of sfloat and float the one that they are written with."),
      .init(name: "binary-exponent", type: .integer(-32...32), summary: "The power of two that the integer counts."),
      .init(name: "offset", type: .number, summary: "What is added to get the number."),
      .init(name: "unit", type: .text, summary: "The unit, for people."),
      .init(
        name: "special", type: .dictionary(.integer(Int.min...Int.max)),
        summary: "Names of integers that stand for no number."),
      order,
    ] + fieldKeys)

  static let structFormat = KeyTable(
    name: "struct-format",
    keys: [
      .init(
        name: "struct", type: .dictionary(.format), summary: "Fields and their formats, in order.", isRequired: true),
      order,
    ] + fieldKeys)

  static let bitsFormat = KeyTable(
    name: "bits-format",
    keys: [
      .init(
        name: "bits", type: .dictionary(.choice([.integer(1...64), .format])),
        summary: "Fields within one integer from its lowest bit on, and how many bits they have or what they mean.",
        isRequired: true),
      width, order,
    ] + fieldKeys)

  static let namesFormat = KeyTable(
    name: "names-format",
    keys: [
      .init(
        name: "names", type: .dictionary(.integer(0...Int.max)), summary: "Names of an integer's values.",
        isRequired: true),
      width, order,
    ] + fieldKeys)

  static let flagsFormat = KeyTable(
    name: "flags-format",
    keys: [
      .init(
        name: "flags", type: .dictionary(.integer(1...Int.max)), summary: "Names of an integer's bits.",
        isRequired: true),
      width, order,
    ] + fieldKeys)

  static let listFormat = KeyTable(
    name: "list-format",
    keys: [
      .init(name: "list", type: .format, summary: "The format of each member.", isRequired: true),
      .init(
        name: "length", type: .choice([.integer(1...512), .names(lengths)]),
        summary: "How many members, or the integer in front that says so; rest if not given."),
      order,
    ] + fieldKeys)

  static let textFormat = KeyTable(
    name: "text-format",
    keys: [
      .init(
        name: "text", type: .choice([.integer(1...512), .names(["rest", "terminated", "u8", "u16", "u32"])]),
        summary: "UTF-8 of so many octets filled up with zeros, or with the integer in front that says how many.",
        isRequired: true)
    ] + fieldKeys)

  static let octetsFormat = KeyTable(
    name: "octets-format",
    keys: [
      .init(
        name: "octets", type: .choice([.integer(1...512), .names(lengths)]),
        summary: "So many octets, or with the integer in front that says how many.", isRequired: true)
    ] + fieldKeys)

  static let namedFormat = KeyTable(
    name: "named-format",
    keys: [.init(name: "format", type: .format, summary: "A format by its name.", isRequired: true), order]
      + fieldKeys)
}
