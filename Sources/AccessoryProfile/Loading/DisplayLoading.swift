/// How the dashboard shows a value: what is possible depends on its format.
extension ProfileLoader {
  /// Reads how a value of a format is shown; nil after an error. `isField` says that it is a field of a value.
  mutating func display(_ node: SyntaxNode, of format: ValueFormat, isField: Bool = false) -> ValueDisplay? {
    let before = diagnosticCount
    guard node.pairs != nil else {
      guard let kind = displayKind(node, of: format, isField: isField) else { return nil }
      if kind == .gauge { error(node, Self.gaugeNeeds) }
      return diagnosticCount == before ? ValueDisplay(kind: kind) : nil
    }
    // A misspelled key may be one that is missing.
    guard let keys = keys(node, Language.show), diagnosticCount == before else { return nil }
    if keys.all.isEmpty { error(node, "expected at least one of \(keys.table.names.joined(separator: ", "))") }
    var display = ValueDisplay()
    if let node = keys["as"] {
      guard let kind = displayKind(node, of: format, isField: isField) else { return nil }
      display.kind = kind
    }
    if display.kind == .hidden, let key = keys.all.first(where: { $0.name != "as" }) {
      error(key.key, "what is hidden has no '\(key.name)': remove one of them")
      return nil
    }
    readRange(keys, of: &display, node, format)
    display.unit = keys["unit"].flatMap { displayUnit($0, of: display.kind, format) }
    display.label = keys["label"].flatMap { filledText($0) }
    if let node = keys["fields"] { readFields(node, of: &display, format, keys) }
    return diagnosticCount == before ? display : nil
  }

  private static let gaugeNeeds = "a gauge needs its range, as in show: { as: gauge, from: 0, to: 100 }"

  /// Reads what a value is shown as, and checks that its format can be shown like that.
  private mutating func displayKind(
    _ node: SyntaxNode, of format: ValueFormat, isField: Bool
  ) -> ValueDisplay.Kind? {
    let words = ValueDisplay.Kind.allCases.map(\.rawValue)
    guard let kind = oneOf(node, words).flatMap({ ValueDisplay.Kind(rawValue: $0) }) else { return nil }
    let needed: String? =
      switch kind {
      case .hidden: nil
      case .octets: isField ? "'octets' is for a whole characteristic, not for a field" : nil
      case .number, .gauge: format.isNumber ? nil : "'\(kind.rawValue)' is for a number, but \(advice(on: format))"
      case .onOff:
        format.isSwitchable
          ? nil : "'switch' is for true and false, a number or two names, but \(advice(on: format))"
      case .color:
        format.isColor
          ? nil
          : "'color' is for { struct: { red: u8, green: u8, blue: u8 } }, { octets: 3 } or { list: u8, length: 3 }, "
            + "but \(advice(on: format, suggesting: "{ octets: 3 }"))"
      case .text:
        if case .hex = format {
          "'text' is for what has a meaning, but \(advice(on: format, suggesting: "utf8"))"
        } else {
          nil
        }
      }
    if let needed { error(node, needed) }
    return needed == nil ? kind : nil
  }

  /// Says what the values of a format are, and what to do about it.
  private func advice(on format: ValueFormat, suggesting suggested: String = "u8") -> String {
    switch format {
    case .hex: return "this value is octets: say what they mean, as in format: \(suggested)"
    case .boolean: return "this value is true or false"
    case .integer, .medical, .floating: return "this value is a number"
    case .named(let names, _): return "this value is one of \(names.count) names"
    case .flags: return "this value is a set of flags"
    case .list: return "this value is a list"
    case .utf8, .uuid, .dateTime, .timeZone: return "this value is text"
    case .bits, .structure:
      let name = (format.fields?.first { $0.format.isNumber } ?? format.fields?.first)?.name ?? "name"
      return "this value has fields: say it of one, as in show: { fields: { \(name): … } }"
    }
  }

  /// Reads the range of a gauge, or the numbers of a switch.
  private mutating func readRange(
    _ keys: Keys, of display: inout ValueDisplay, _ node: SyntaxNode, _ format: ValueFormat
  ) {
    display.from = keys["from"].flatMap { number($0) }
    display.to = keys["to"].flatMap { number($0) }
    switch display.kind {
    case .gauge:
      guard keys["from"] != nil, keys["to"] != nil else { return error(keys["as"] ?? node, Self.gaugeNeeds) }
      if let from = display.from, let to = display.to, from >= to, let place = keys["to"] {
        error(place, "the end of the gauge is not above its start")
      }
    case .onOff where format.isNumber:
      for name in ["from", "to"] {
        guard let place = keys[name], let number = name == "from" ? display.from : display.to else { continue }
        do { _ = try format.encode(.number(number)) } catch { self.error(place, error.description) }
      }
      if display.from ?? 0 == display.to ?? 1, let place = keys["to"] ?? keys["from"] {
        error(place, "off and on are the same number")
      }
    default:
      for name in ["from", "to"] {
        guard let key = keys.key(name) else { continue }
        error(
          key,
          display.kind == .onOff
            ? "'\(name)' is for a switch of numbers; \(advice(on: format))"
            : "'\(name)' is for a gauge, or a switch of numbers: add as: gauge, or remove it")
      }
    }
  }

  private mutating func displayUnit(
    _ node: SyntaxNode, of kind: ValueDisplay.Kind?, _ format: ValueFormat
  ) -> String? {
    guard let unit = filledText(node) else { return nil }
    guard kind == nil || kind == .number || kind == .gauge else {
      error(node, "only a number has a unit, and it is shown as '\(kind?.rawValue ?? "")'")
      return nil
    }
    if format.isNumber { return unit }
    if case .list(let member, _) = format, member.isNumber { return unit }
    error(node, "only a number has a unit, but \(advice(on: format))")
    return nil
  }

  private mutating func filledText(_ node: SyntaxNode) -> String? {
    guard let text = text(node) else { return nil }
    if text.trimmed.isEmpty { error(node, "it is empty: write what is to be shown, or remove the key") }
    return text
  }

  /// Reads how the fields of a value are shown.
  private mutating func readFields(
    _ node: SyntaxNode, of display: inout ValueDisplay, _ format: ValueFormat, _ keys: Keys
  ) {
    guard let fields = format.fields else {
      return error(keys.key("fields") ?? node, "there are no fields: \(advice(on: format))")
    }
    if let kind = display.kind {
      return error(
        keys.key("fields") ?? node, "'as: \(kind.rawValue)' shows the value as a whole: remove it, or the fields")
    }
    for pair in mapping(node, "from fields to how they are shown") {
      guard let field = fields.first(where: { $0.name == pair.name }) else {
        error(pair.key, "there is no field '\(pair.name)'\(hint(for: pair.name, among: fields.map(\.name)))")
        continue
      }
      display.fields[pair.name] = self.display(pair.value, of: field.format, isField: true)
    }
  }
}

extension ValueFormat {
  /// Whether values are numbers, and not their names.
  fileprivate var isNumber: Bool {
    switch self {
    case .integer, .medical, .floating: true
    default: false
    }
  }

  /// Whether values can mean on and off.
  fileprivate var isSwitchable: Bool {
    switch self {
    case .boolean: true
    case .named(let names, _): names.count == 2
    default: isNumber
    }
  }

  /// Whether values are three octets, or have them as fields.
  fileprivate var isColor: Bool {
    switch self {
    case .hex(.fixed(3)): true
    case .list(let member, .fixed(3)): member.isOctet
    default:
      ["red", "green", "blue"].allSatisfy { name in
        fields?.contains { $0.name == name && !$0.canBeLeftOut && $0.format.isOctet } ?? false
      }
    }
  }

  private var isOctet: Bool {
    guard case .integer(let format) = self else { return false }
    return format.numbers == 0...255
  }
}
