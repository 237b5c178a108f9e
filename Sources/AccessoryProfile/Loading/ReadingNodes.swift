import BLEATT
import BLECore

/// The known keys of a mapping and their values.
struct Keys {
  fileprivate var values: [String: SyntaxPair] = [:]
  /// The table with the types of the values.
  var table = KeyTable(name: "", keys: [])

  /// The value of a key.
  subscript(name: String) -> SyntaxNode? { values[name]?.value }

  /// The known pairs, in no order.
  var all: [SyntaxPair] { Array(values.values) }

  /// Returns the node of the key itself.
  func key(_ name: String) -> SyntaxNode? { values[name]?.key }
}

extension ProfileLoader {
  // MARK: Mappings and lists

  /// Returns the pairs of a mapping. Unknown keys and missing required keys are errors. `others` are known in addition to those of the
  /// table. A misspelled required key is not also reported as missing. Messages suggest `suggested` instead of all known keys, if given.
  mutating func keys(
    _ node: SyntaxNode, _ table: KeyTable, others: [String] = [], suggesting suggested: [String]? = nil
  ) -> Keys? {
    guard let pairs = node.pairs else {
      let example = FamiliarShapes.examples[table.name].map { "; \($0)" } ?? ""
      error(node, "expected a mapping with \(table.names.joined(separator: ", ")), not \(node.kindName)\(example)")
      return nil
    }
    let known = table.names + others
    var keys = Keys(table: table)
    for pair in pairs where known.contains(pair.name) { keys.values[pair.name] = pair }
    var missing = table.keys.filter { $0.isRequired && keys[$0.name] == nil }.map(\.name)
    for pair in pairs where !known.contains(pair.name) {
      error(pair.key, "unknown key '\(pair.name)'\(hint(for: pair, in: table, suggested ?? known, missing))")
      let meant = FamiliarKey.row(for: pair.name, in: table.name)?.meant
      if let meant = meant ?? Spelling.nearest(to: pair.name, among: missing) { missing.removeAll { $0 == meant } }
    }
    for name in missing { error(node, "the key '\(name)' is missing") }
    return keys
  }

  /// Returns a suffix for a message about an unknown key: what it means, where it belongs, or how it is spelled.
  private func hint(for pair: SyntaxPair, in table: KeyTable, _ known: [String], _ missing: [String]) -> String {
    if isFull { return "" }
    if Spelling.same(as: pair.name, among: known) == nil {
      if let row = FamiliarKey.row(for: pair.name, in: table.name) { return row.hint }
      if let place = table.innerPlace(of: pair.name, value: pair.value) { return place }
    }
    return hint(for: pair.name, among: known, likely: missing)
  }

  /// Returns the members of a list.
  mutating func list(_ node: SyntaxNode) -> [SyntaxNode]? {
    if let elements = node.elements { return elements }
    error(
      node,
      "expected a list\(FamiliarShapes.listHint(for: node)), not \(node.kindName)\(FamiliarShapes.dashes(for: node))")
    return nil
  }

  // MARK: Scalars

  /// Reads text, with or without quotes.
  mutating func text(_ node: SyntaxNode) -> String? {
    guard let text = node.text, !node.isNull else {
      error(node, "expected text, not \(node.kindName)")
      return nil
    }
    return text
  }

  mutating func boolean(_ node: SyntaxNode) -> Bool? {
    switch node.plainText {
    case "true": return true
    case "false": return false
    default:
      error(node, "expected true or false, not \(node.kindName)\(FamiliarShapes.truth(of: node))")
      return nil
    }
  }

  mutating func integer(_ node: SyntaxNode, _ range: ClosedRange<Int64>) -> Int64? {
    guard let text = node.plainText, let value = Numbers.integer(text) else {
      error(node, "expected a whole number within \(range.lowerBound)...\(range.upperBound), not \(node.kindName)")
      return nil
    }
    guard range.contains(value) else {
      error(node, "\(text) is not within \(range.lowerBound)...\(range.upperBound)")
      return nil
    }
    return value
  }

  /// Reads the whole number of a key within the range of the table; nil if there is none, or after an error.
  mutating func integer(_ keys: Keys, _ name: String) -> Int64? {
    keys[name].flatMap { integer($0, keys.table, name) }
  }

  /// Reads a whole number for a key of a table.
  mutating func integer(_ node: SyntaxNode, _ table: KeyTable, _ name: String) -> Int64? {
    integer(node, table.type(of: name).wholeNumbers ?? .min ... .max)
  }

  mutating func number(_ node: SyntaxNode) -> Double? {
    guard let text = node.plainText, let value = Numbers.decimal(text) else {
      error(node, "expected a number, not \(node.kindName)")
      return nil
    }
    return value
  }

  /// Reads one of the names.
  mutating func oneOf(_ node: SyntaxNode, _ names: [String]) -> String? {
    guard let text = node.text, !node.isNull else {
      error(node, "expected one of \(names.joined(separator: ", ")), not \(node.kindName)")
      return nil
    }
    guard names.contains(text) else {
      error(node, "unknown word '\(text)'\(hint(for: text, among: names))")
      return nil
    }
    return text
  }

  mutating func uuid(_ node: SyntaxNode, _ kind: AssignedName.Kind) -> BluetoothUUID? {
    guard let text = text(node) else { return nil }
    let word = text.dropping(prefix: "uuid:").map { String($0.trimmed) } ?? text
    if let uuid = AssignedName.uuid(named: word, kind: kind) ?? BluetoothUUID(word) { return uuid }
    let nearest = FamiliarShapes.assignedName(for: word, kind)
    let meant = nearest.map { ", did you mean '\($0)'?" } ?? ""
    let count = Self.digits(ofUUID: word).map { "; a UUID has 4, 8 or 32 hexadecimal digits, not \($0)" } ?? meant
    error(node, "'\(text)' is neither a UUID nor the name of an assigned \(kind.rawValue)\(count)")
    return nil
  }

  /// Counts the hexadecimal digits of a word that is probably meant as a UUID: all its characters are such digits or dashes, and at least
  /// one is a numeral.
  private static func digits(ofUUID word: some StringProtocol) -> Int? {
    let digits = word.filter { $0 != "-" }
    return digits.count > 2 && digits.allSatisfy(\.isHexDigit) && digits.contains(where: \.isNumber)
      ? digits.count : nil
  }

  mutating func appearance(_ node: SyntaxNode) -> Appearance? {
    guard let text = text(node) else { return nil }
    if let appearance = Appearance(named: text) { return appearance }
    if let number = node.plainText.flatMap({ Numbers.integer($0) }) {
      guard let value = UInt16(exactly: number) else {
        error(node, "\(text) is not within 0...65535")
        return nil
      }
      return Appearance(rawValue: value)
    }
    let nearest = Spelling.nearest(to: text, among: Appearance.allNames)
    let meant = Numbers.integer(text) == nil ? nearest.map { ", did you mean '\($0)'?" } ?? "" : Self.leaveQuotes
    error(node, "'\(text)' is neither the name of an appearance nor a number\(meant)")
    return nil
  }

  mutating func errorCode(_ node: SyntaxNode) -> ATTErrorCode? {
    guard let text = text(node) else { return nil }
    if let found = ErrorNames.all.first(where: { $0.name == text }) { return found.code }
    if node.plainText.flatMap({ Numbers.integer($0) }) != nil {
      return integer(node, 1...255).map { ATTErrorCode(rawValue: UInt8(truncatingIfNeeded: $0)) }
    }
    let hint =
      Numbers.integer(text) == nil ? self.hint(for: text, among: ErrorNames.all.map(\.name)) : Self.leaveQuotes
    error(node, "unknown error '\(text)'\(hint)")
    return nil
  }

  // MARK: Durations

  /// Reads a duration. A duration that is not a multiple of the step is rounded to the nearest one, with a warning.
  mutating func duration(
    _ node: SyntaxNode, within range: ClosedRange<Duration>, step: Duration? = nil
  ) -> Duration? {
    guard let text = node.plainText, let value = Durations.parse(text) else {
      let units = Durations.units.map(\.name).joined(separator: ", ")
      let isQuoted = node.plainText == nil && node.text.flatMap { Durations.parse($0) }.map(range.contains) ?? false
      let meant = isQuoted ? Self.leaveQuotes : FamiliarShapes.durationHint(for: node, within: range)
      error(node, "expected a duration such as '20 ms' (units: \(units)), not \(node.kindName)\(meant)")
      return nil
    }
    guard range.contains(value) else {
      error(
        node, "\(text) is not within \(Durations.text(range.lowerBound)) to \(Durations.text(range.upperBound))")
      return nil
    }
    guard let size = step?.inNanoseconds else { return value }
    let steps = (value.inNanoseconds + size / 2) / size
    let nearest = Duration.nanoseconds(steps * size)
    if nearest != value {
      warn(
        node, "\(text) is not a multiple of \(Durations.text(.nanoseconds(size))); \(Durations.text(nearest)) is used")
    }
    return nearest
  }

  /// Reads a duration, or the shortest and the longest one.
  mutating func durationRange(
    _ node: SyntaxNode, within range: ClosedRange<Duration>, step: Duration
  ) -> ClosedRange<Duration>? {
    guard let elements = node.elements else {
      return duration(node, within: range, step: step).map { $0...$0 }
    }
    let bounds = elements.compactMap { duration($0, within: range, step: step) }
    guard bounds.count == elements.count else { return nil }
    guard bounds.count == 2, bounds[0] <= bounds[1] else {
      error(node, "expected the shortest and the longest duration, such as [15 ms, 30 ms]")
      return nil
    }
    return bounds[0]...bounds[1]
  }

  /// Reads the duration of a key, with the range and step of the table; nil if there is none, or after an error.
  mutating func duration(_ keys: Keys, _ name: String) -> Duration? {
    keys[name].flatMap { duration($0, keys.table, name) }
  }

  /// Reads a duration for a key of a table.
  mutating func duration(_ node: SyntaxNode, _ table: KeyTable, _ name: String) -> Duration? {
    guard let (range, step) = table.type(of: name).durations else { return nil }
    return duration(node, within: range, step: step)
  }

  /// Reads the duration of a key, or the shortest and the longest one.
  mutating func durationRange(_ keys: Keys, _ name: String) -> ClosedRange<Duration>? {
    keys[name].flatMap { durationRange($0, keys.table, name) }
  }

  /// Reads a duration for a key of a table, or the shortest and the longest one.
  mutating func durationRange(_ node: SyntaxNode, _ table: KeyTable, _ name: String) -> ClosedRange<Duration>? {
    guard let (range, step) = table.type(of: name).durations else { return nil }
    return durationRange(node, within: range, step: step ?? .microseconds(1))
  }

  // MARK: Octets

  /// The advice for a number in quotes, which is text.
  static let leaveQuotes = ": anything in quotes is text, so remove the quotes"

  /// Warns about a quoted text that would be octets or a number without its quotes, and about an unquoted text that looks like octets.
  /// Anything in quotes is text, everywhere.
  mutating func warnOfLikeness(_ node: SyntaxNode) {
    guard node.source.hasLines, case .scalar(let text, let isQuoted) = node.content, OctetLiteral.isSuggested(by: text)
    else { return }
    warn(
      node,
      isQuoted
        ? "because of the quotes, this is the text '\(text)'; remove them if octets are meant"
        : "'\(text)' is text here; put it in quotes to confirm that, or write octets as hex:0102")
  }

  /// Reads octets, with the format that their notation implies.
  mutating func octets(_ node: SyntaxNode) -> OctetLiteral? {
    switch node.content {
    case .scalar(let text, true):
      warnOfLikeness(node)
      return OctetLiteral(text: text)
    case .scalar(let text, false):
      if let literal = OctetLiteral(plain: text) { return literal }
    case .sequence(let elements):
      var octets: [UInt8] = []
      for element in elements {
        guard let octet = integer(element, 0...255) else { return nil }
        octets.append(UInt8(truncatingIfNeeded: octet))
      }
      return OctetLiteral(octets: octets)
    case .mapping: break
    }
    error(node, "expected octets (\(OctetLiteral.forms)), not \(node.kindName)")
    return nil
  }
}
