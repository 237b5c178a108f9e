extension Language {
  /// How the dashboard can show a value, as a word alone or in a mapping.
  static let showType = ValueType.choice([.names(ValueDisplay.Kind.allCases.map(\.rawValue)), .mapping("show")])

  static let show = KeyTable(
    name: "show",
    keys: [
      .init(
        name: "as", type: .names(ValueDisplay.Kind.allCases.map(\.rawValue)),
        summary: "What it is shown as (default: what its format suggests); hidden leaves it out."),
      .init(
        name: "from", type: .number,
        summary: "The least number of a gauge; for a switch, the number that means off (default: 0)."),
      .init(
        name: "to", type: .number,
        summary: "The greatest number of a gauge; for a switch, the number that means on (default: 1)."),
      .init(name: "unit", type: .text, summary: "The unit of a number (default: that of the format)."),
      .init(name: "label", type: .text, summary: "What it is called (default: its id, or the name of the field)."),
      .init(
        name: "fields", type: .dictionary(showType),
        summary: "How fields of the value are shown, by name; the others are shown as their formats suggest."),
    ])
}
