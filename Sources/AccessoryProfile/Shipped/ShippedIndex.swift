/// What comes with the program, as texts.
enum ShippedTexts {
  /// The text of a format; nil where there is none of that name.
  static func format(_ name: String) -> String? { formatIndex[name].map { formats[$0].text } }

  /// The text of a service that profiles include; nil where there is none of that name.
  static func service(_ name: String) -> String? { services.first { $0.name == name }?.text }

  private static let formatIndex = Dictionary(formats.enumerated().map { ($0.element.name, $0.offset) }) { first, _ in
    first
  }
}
