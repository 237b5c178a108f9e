extension Language {
  /// The formats that are mappings, distinguished by their first key.
  package static let formats = [
    numberFormat, structFormat, bitsFormat, namesFormat, flagsFormat, listFormat, textFormat, octetsFormat, namedFormat,
  ]

  static let orders = ["little", "big"]
  static let clockParts = ValueFormat.ClockPart.allCases.map(\.rawValue)
  private static let lengths = ["rest", "u8", "u16", "u32"]

  private static let order = KeyTable.Key(
    name: "order", type: .names(orders),
    summary: "The order of the octets of integers: least significant first (little, the default), or most "
      + "significant first (big).")

  private static let width = KeyTable.Key(
    name: "as", type: .names(IntegerFormat.names.filter { $0.hasPrefix("u") }),
    summary: "The integer that holds it (default: u8; for bits, as many octets as they need).")

  /// The keys that fields of a struct have in addition to those of their formats.
  static let fieldKeys: [KeyTable.Key] = [
    .init(name: "default", type: .value, summary: "The value if none is given."),
    .init(
      name: "if", type: .text,
      summary: "FIELD.BIT: the field is present if that bit is set, and the bit is set if the field has a value."),
    .init(
      name: "unless", type: .text,
      summary: "FIELD.BIT: the field is present if that bit is not set, and the bit is set if the field has no "
        + "value."
    ),
    .init(
      name: "optional", type: .boolean,
      summary: "Whether the field, the last one, is present only if octets are left for it."),
    .init(
      name: "narrow", type: .names(IntegerFormat.names), summary: "A narrower integer, for numbers that fit into it."),
    .init(
      name: "wide-if", type: .text,
      summary: "FIELD.BIT: the bit that is set if the number does not fit into the narrower integer."),
    .init(name: "other", type: .format, summary: "Another format for the same number, in another unit."),
    .init(name: "other-if", type: .text, summary: "FIELD.BITS: the field has the other format if they are not zero."),
    .init(
      name: "derive", type: .text,
      summary: "How the field is computed if it has no value: weekday(FIELD), or size, the length of the struct in "
        + "octets."),
    .init(
      name: "clock", type: .names(clockParts), summary: "The part of the time that the generator clock puts here."),
    .init(
      name: "in", type: .text,
      summary: "'every 10th': a generated value is present in the first of every ten values sent."),
    .init(
      name: "inline", type: .boolean,
      summary: "Whether the fields of bits appear next to the other fields of the struct."),
  ]

  static let numberFormat = KeyTable(
    name: "number-format",
    keys: [
      .init(
        name: "number", type: .names(ProfileLoader.numberNames), summary: "The width of the integer.", isRequired: true),
      .init(
        name: "decimals", type: .integer(0...6), summary: "The number of decimal places (default: 0)."),
      .init(
        name: "multiply", type: .integer(1...1_000_000),
        summary: "The factor by which the integer is multiplied (default: 1)."),
      .init(
        name: "exponent", type: .integer(-128...127),
        summary: "The power of ten by which the integer is multiplied; for sfloat and float, the exponent to use for "
          + "encoding."),
      .init(
        name: "binary-exponent", type: .integer(-32...32),
        summary: "The power of two by which the integer is multiplied."),
      .init(name: "offset", type: .number, summary: "The number that is added."),
      .init(name: "unit", type: .text, summary: "The unit, for people."),
      .init(
        name: "special", type: .dictionary(.integer(Int.min...Int.max)),
        summary: "Names of integers that are special values rather than numbers."),
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
        summary: "Bit fields within one integer, starting at the least significant bit, with their widths or formats.",
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
        summary: "The number of members, or the integer in front that holds it (default: rest)."),
      order,
    ] + fieldKeys)

  static let textFormat = KeyTable(
    name: "text-format",
    keys: [
      .init(
        name: "text", type: .choice([.integer(1...512), .names(["rest", "terminated", "u8", "u16", "u32"])]),
        summary: "UTF-8 of that many octets, padded with zeros, or with its length in an integer in front.",
        isRequired: true)
    ] + fieldKeys)

  static let octetsFormat = KeyTable(
    name: "octets-format",
    keys: [
      .init(
        name: "octets", type: .choice([.integer(1...512), .names(lengths)]),
        summary: "That many octets, or octets with their length in an integer in front.", isRequired: true)
    ] + fieldKeys)

  static let namedFormat = KeyTable(
    name: "named-format",
    keys: [.init(name: "format", type: .format, summary: "A format, by name.", isRequired: true), order]
      + fieldKeys)
}
