import BLECore

/// What people write where the language wants another kind of value: a text for a mapping, a number for a duration, a mapping for a list.
enum FamiliarShapes {
  /// What a mapping looks like, by the name of its table.
  static let examples: [String: String] = [
    "permissions":
      "they are the security that clients need, as in permissions: { read: encrypted }, and properties are what clients may do",
    "descriptor-permissions": "they are the security that clients need, as in permissions: { read: encrypted }",
    "identity": "as in identity: { address: static, appearance: heart-rate-sensor }",
    "security": "as in security: { pairing: just-works }",
    "connection": "as in connection: { mtu: 247 }",
    "service": "as in { uuid: 180F, characteristics: [ … ] }, or { include: battery }",
    "characteristic": "as in { uuid: 2A19, properties: [read], value: 90 }",
    "descriptor": "as in { uuid: 2901, value: \"Level\" }",
    "advertising-set": "as in { id: main, interval: 100 ms }",
    "manufacturer-data": "as in { company: 0xFFFF, data: hex:0102 }",
    "service-data": "as in { service: 180F, data: hex:5A }",
    "advertising-phase": "as in { interval: 100 ms, for: 30 s }",
    "random-range": "as in random: { low: 0, high: 100 }",
    "counter-range": "as in counter: { from: 0, to: 9 }",
    "valid-range": "as in valid-range: { low: 0, high: 100 }",
    "presentation-format": "as in { format: u8, unit: percentage }",
    "rule": "as in { when: connected, do: { set: { level: 90 } } }",
    "write-rule": "as in { when: hex:01, do: { set: { level: 90 } } }",
    "outcome": "as in { error: 0x80 }, or { result: 3 }",
    "command": "as in { opcode: 0x01, do: { set: { level: 90 } } }",
    "parameter-request": "as in request: { interval: [15 ms, 30 ms], latency: 0, timeout: 4 s }",
    "fleet-accessory": "as in { profile: heart-rate, count: 3 }",
  ]

  /// Suggests a list for a text, which may have separators, as in `READ|NOTIFY`.
  static func listHint(for node: SyntaxNode) -> String {
    guard let text = node.text, !node.isNull else { return "" }
    let words = text.split { ",|;".contains($0) }.map { String($0.trimmed) }
    return ", such as [\(words.count < 2 ? text : words.map { Spelling.kebab($0) }.joined(separator: ", "))]"
  }

  /// Explains how a mapping becomes a list.
  static func dashes(for node: SyntaxNode) -> String {
    guard let pair = node.pairs?.first else { return "" }
    let first = pair.value.pairs == nil ? "- \(pair.name): …" : "- id: \(pair.name)"
    return "; each member begins with a hyphen, as in '\(first)'"
  }

  /// Suggests true or false.
  static func truth(of node: SyntaxNode) -> String {
    switch node.text?.lowercased() {
    case "yes", "on", "y", "1", "true", "enabled", "enable": ", did you mean 'true'?"
    case "no", "off", "n", "0", "false", "disabled", "disable": ", did you mean 'false'?"
    default: ""
    }
  }

  /// The units of other languages, and those of this one.
  private static let units = [
    ("us", ["usec", "usecs", "microsecond", "microseconds"]),
    ("ms", ["msec", "msecs", "millis", "millisecond", "milliseconds"]),
    ("s", ["sec", "secs", "second", "seconds"]), ("min", ["m", "mins", "minute", "minutes"]),
    ("h", ["hr", "hrs", "hour", "hours"]), ("d", ["day", "days"]),
  ]

  /// Suggests durations within a range for a number without a unit, with another word for the unit, or in quotes.
  static func durationHint(for node: SyntaxNode, within range: ClosedRange<Duration>) -> String {
    let likely = durations(of: node).filter { Durations.parse($0).map { range.contains($0) } ?? false }
    return likely.isEmpty ? "" : ", did you mean \(likely.map { "'\($0)'" }.joined(separator: " or "))?"
  }

  private static func durations(of node: SyntaxNode) -> [String] {
    guard let text = node.text?.trimmed, !text.isEmpty, text.count < 30 else { return [] }
    let number = text.prefix { $0.isNumber || $0 == "." }
    guard Numbers.decimal(number) != nil else { return [] }
    let unit = text.dropFirst(number.count).trimmed.lowercased()
    if unit.isEmpty { return ["\(number) ms", "\(number) s"] }
    return units.filter { $0.0 == unit || $0.1.contains(unit) }.map { "\(number) \($0.0)" }
  }

  /// Returns the interval that was probably meant where a word or a mapping with `every` is expected; a number without a unit is in
  /// milliseconds, if it is not small.
  static func interval(of node: SyntaxNode) -> String? {
    let durations = durations(of: node)
    let isSmall = node.text.flatMap { Numbers.decimal($0.trimmed) }.map { $0 < 10 } ?? false
    return isSmall ? durations.last : durations.first
  }

  /// Returns the format that a value without one probably needs; nil if its notation already implies a format.
  static func format(for value: SyntaxNode) -> String? {
    if let elements = value.elements {
      let numbers = elements.compactMap { $0.plainText.flatMap { Numbers.integer($0) } }
      guard numbers.count == elements.count, !numbers.isEmpty else { return nil }
      let isOctets = numbers.allSatisfy { (0...255).contains($0) }
      return isOctets ? nil : width(of: numbers).map { "{ list: \($0) }" }
    }
    guard let text = value.plainText, !value.isNull, OctetLiteral(plain: text) == nil, !text.contains("$") else {
      return nil
    }
    if text == "true" || text == "false" { return "bool" }
    if let number = Numbers.integer(text) { return width(of: [number]) }
    if Numbers.decimal(text) != nil {
      let decimals = text.split(separator: ".").dropFirst().first?.count ?? 1
      return "{ number: i16, decimals: \(min(max(decimals, 1), 6)) }"
    }
    return text.contains(":") ? nil : "utf8"
  }

  private static func width(of numbers: [Int64]) -> String? {
    guard let low = numbers.min(), let high = numbers.max() else { return nil }
    let bits = [8, 16, 32].first { low < 0 ? low >= -(1 << ($0 - 1)) && high < 1 << ($0 - 1) : high < 1 << $0 } ?? 64
    return "\(low < 0 ? "i" : "u")\(bits)"
  }

  /// Returns the assigned name that was probably meant, without what other tools add to it, as in `GATT_HEART_RATE_SERVICE`.
  static func assignedName(for word: String, _ kind: AssignedName.Kind) -> String? {
    let names = AssignedName.all(kind).map(\.name)
    var word = Spelling.kebab(word)
    for prefix in ["org-bluetooth-", "gatt-", "bt-uuid-", "service-", "characteristic-", "descriptor-", "uuid-"] {
      if let rest = word.dropping(prefix: prefix) { word = String(rest) }
    }
    for suffix in ["-uuid", "-service", "-characteristic", "-descriptor"] where word.hasSuffix(suffix) {
      word = String(word.dropLast(suffix.count))
    }
    if AssignedName.uuid(named: word, kind: kind) != nil { return word }
    return FamiliarValue.meaning(of: word, among: names) ?? Spelling.nearest(to: word, among: names)
  }
}
