import BLECore

/// Parses the text of a filter. `or` has the lowest precedence, then `and`, then `not`.
struct FilterParser {
  private enum Token: Equatable {
    case word(String)
    case quoted(String)
    case pattern(String)
    case sign(String)
    case end
  }

  private let characters: [Character]
  private var place = 0
  private var token = Token.end
  /// The start of the token.
  private var start = 0
  private var depth = 0

  /// The maximum nesting depth.
  private static let depthLimit = 100

  /// The maximum length of a filter, in characters.
  static let longest = 4096

  init(_ text: String) { characters = Array(text) }

  mutating func parse() throws(FilterFault) -> PacketFilter.Node {
    guard characters.count <= Self.longest else {
      throw FilterFault(column: Self.longest + 1, description: "a filter has at most \(Self.longest) characters")
    }
    try advance()
    let node = try either()
    guard token == .end else { throw fault("expected `&&`, `||` or the end") }
    return node
  }

  private func fault(_ description: String) -> FilterFault { FilterFault(column: start + 1, description: description) }

  // MARK: Tokens

  private mutating func advance() throws(FilterFault) {
    while place < characters.count, characters[place].isWhitespace { place += 1 }
    start = place
    guard place < characters.count else {
      token = .end
      return
    }
    switch characters[place] {
    case "\"": token = .quoted(try enclosed("\""))
    case "/": token = .pattern(try enclosed("/", keepsEscapes: true))
    case let first where Self.isWord(first):
      while place < characters.count, Self.isWord(characters[place]) { place += 1 }
      token = .word(String(characters[start..<place]))
    default:
      for sign in ["&&", "||", "==", "!=", "<=", ">=", "<", ">", "~", "!", "(", ")"]
      where characters[place...].starts(with: sign) {
        place += sign.count
        token = .sign(sign)
        return
      }
      throw fault(
        "`\(characters[place])` is not valid here\(Self.familiarSigns[characters[place]].map { ": \($0)" } ?? "")")
    }
  }

  private static func isWord(_ character: Character) -> Bool {
    character.isLetter || character.isNumber || "_.:-".contains(character)
  }

  /// Reads text up to the next `mark` without a preceding backslash. A pattern handles its escapes itself.
  private mutating func enclosed(_ mark: Character, keepsEscapes: Bool = false) throws(FilterFault) -> String {
    var text = ""
    place += 1
    while place < characters.count, characters[place] != mark {
      if characters[place] == "\\", place + 1 < characters.count, keepsEscapes || characters[place + 1] == mark {
        if keepsEscapes { text.append(characters[place]) }
        place += 1
      }
      text.append(characters[place])
      place += 1
    }
    guard place < characters.count else { throw fault("the closing \(mark) is missing") }
    place += 1
    return text
  }

  // MARK: Grammar

  private mutating func either() throws(FilterFault) -> PacketFilter.Node {
    var nodes = [try both()]
    while token == .sign("||") || token == .word("or") {
      try advance()
      nodes.append(try both())
    }
    return nodes.count == 1 ? nodes[0] : .any(nodes)
  }

  private mutating func both() throws(FilterFault) -> PacketFilter.Node {
    var nodes = [try negation()]
    while token == .sign("&&") || token == .word("and") {
      try advance()
      nodes.append(try negation())
    }
    return nodes.count == 1 ? nodes[0] : .all(nodes)
  }

  private mutating func negation() throws(FilterFault) -> PacketFilter.Node {
    depth += 1
    defer { depth -= 1 }
    guard depth < Self.depthLimit else { throw fault("the nesting is too deep") }
    switch token {
    case .sign("!"), .word("not"):
      try advance()
      return .not(try negation())
    case .sign("("):
      try advance()
      let node = try either()
      guard token == .sign(")") else { throw fault("the closing ) is missing") }
      try advance()
      return node
    case .quoted(let text):
      try advance()
      return .text(.text, .contains(text.lowercased()))
    case .pattern(let text):
      let node = PacketFilter.Node.text(.text, .matches(try pattern(text)))
      try advance()
      return node
    case .word(let word): return try test(word)
    case .sign, .end: throw fault("expected a test, such as `att.write` or `handle == 0x40`")
    }
  }

  private func pattern(_ text: String) throws(FilterFault) -> TextPattern {
    do throws(PatternFault) {
      return try TextPattern(text)
    } catch {
      // The pattern starts after the slash.
      throw FilterFault(column: start + 2 + error.place, description: error.description)
    }
  }

  private mutating func test(_ word: String) throws(FilterFault) -> PacketFilter.Node {
    let column = start
    try advance()
    if case .word(let other) = token, let sign = Self.familiarComparisons[other], Self.isCompared(word) {
      throw fault("write `\(sign)` instead of `\(other)`")
    }
    if let sign = comparison {
      try advance()
      if word == "uuid", sign == "==" || sign == "!=" { return try uuid(isEqual: sign == "==") }
      if word == "level" { return try level(sign) }
      if let text = PacketFilter.Text(rawValue: word) {
        return .text(text, try textTest(sign))
      }
      guard let quantity = PacketFilter.Quantity(rawValue: word) else { throw unknown(word, at: column) }
      guard let comparison = PacketFilter.Comparison(rawValue: sign) else {
        throw fault("`\(word)` is a number and can be compared with == != < <= > >=")
      }
      return .number(quantity, comparison, try number(quantity))
    }
    if let known = PacketFilter.Word(rawValue: word) { return .word(known) }
    if let layers = Self.layers[word] { return .layers(layers) }
    if let layer = PacketLayer(rawValue: word) { return .layers([layer]) }
    if let opcodes = Self.opcodes[word] { return .opcodes(opcodes) }
    if Self.isCompared(word) {
      throw fault("`\(word)` needs a comparison: \(word) == …")
    }
    throw unknown(word, at: column)
  }

  /// Returns whether a word stands before a comparison.
  private static func isCompared(_ word: String) -> Bool {
    word == "level" || PacketFilter.Quantity(rawValue: word) != nil || PacketFilter.Text(rawValue: word) != nil
  }

  private var comparison: String? {
    switch token {
    case .sign(let sign) where sign == "~" || PacketFilter.Comparison(rawValue: sign) != nil: sign
    case .word("contains"): "contains"
    default: nil
    }
  }

  private func unknown(_ word: String, at column: Int) -> FilterFault {
    let known =
      PacketFilter.Word.allCases.map(\.rawValue) + PacketLayer.allCases.map(\.rawValue)
      + Self.opcodes.keys.sorted() + [
        "number", "handle", "opcode", "status", "attribute", "channel", "length", "value",
      ]
      + ["latency", "time", "level", "text", "name", "type", "address", "uuid", "hex"]
    let meant = known.first { $0.hasSuffix(".\(word)") }.map { ", did you mean `\($0)`?" } ?? ""
    return FilterFault(
      column: column + 1, description: "`\(word)` is not known\(meant) (known: \(known.joined(separator: ", ")))")
  }

  // MARK: Values

  private mutating func level(_ sign: String) throws(FilterFault) -> PacketFilter.Node {
    guard let comparison = PacketFilter.Comparison(rawValue: sign) else {
      throw fault("`level` can be compared with == != < <= > >=")
    }
    guard case .word(let word) = token, let level = PacketLevel(name: word) else {
      throw fault("expected a level: \(PacketLevel.allCases.map(\.name).joined(separator: ", "))")
    }
    try advance()
    return .level(comparison, level)
  }

  private mutating func uuid(isEqual: Bool) throws(FilterFault) -> PacketFilter.Node {
    let text: String
    switch token {
    case .word(let word): text = word
    case .quoted(let quoted): text = quoted
    default: throw fault("expected a UUID or the name of one, such as 2A37 or heart-rate-measurement")
    }
    let name = text.lowercased().split(separator: " ").joined(separator: "-")
    guard let uuid = BluetoothUUID(text) ?? AssignedName.uuid(named: name) else {
      throw fault("`\(text)` is neither a UUID nor an assigned name")
    }
    try advance()
    return .uuid(uuid, isEqual: isEqual)
  }

  private mutating func textTest(_ sign: String) throws(FilterFault) -> PacketFilter.TextTest {
    let test: PacketFilter.TextTest
    switch (sign, token) {
    case ("==", .word(let text)), ("==", .quoted(let text)): test = .equal(text.lowercased())
    case ("!=", .word(let text)), ("!=", .quoted(let text)): test = .unequal(text.lowercased())
    case ("contains", .word(let text)), ("contains", .quoted(let text)), ("~", .word(let text)),
      ("~", .quoted(let text)):
      test = .contains(text.lowercased())
    case ("~", .pattern(let text)): test = .matches(try pattern(text))
    case ("==", _), ("!=", _), ("contains", _): throw fault("expected a text")
    case ("~", _): throw fault("expected a text or a /regular expression/")
    default: throw fault("texts cannot be compared with `\(sign)`, only with == != contains ~")
    }
    try advance()
    return test
  }

  /// Parses a decimal or hexadecimal number. Times have a unit.
  private mutating func number(_ quantity: PacketFilter.Quantity) throws(FilterFault) -> Int64 {
    if case .quoted(let text) = token { throw fault(Self.needsNumber(quantity, text)) }
    guard case .word(let word) = token else { throw fault("expected a number") }
    if quantity == .latency || quantity == .time { return try time(quantity, word) }
    guard let value = Self.integer(word) else {
      let digits = word.hasPrefix("hex:") ? [UInt8](hexadecimal: word.dropFirst(4)) : nil
      throw fault(
        "`\(word)` is not a number\(digits.map { "; for octets of the packet write hex contains \($0.hexadecimal)" } ?? "")"
      )
    }
    try advance()
    return value
  }

  /// Parses a time. A space may precede the unit: `30 ms`. Without a unit, `latency` is in milliseconds, and `time` could mean anything.
  private mutating func time(_ quantity: PacketFilter.Quantity, _ word: String) throws(FilterFault) -> Int64 {
    guard let value = Self.nanoseconds(word) else { throw fault("expected a time, such as 30ms or 1.5s") }
    guard Double(word) != nil else {
      try advance()
      return value
    }
    let missing = fault("the time since the first packet needs a unit: \(word)s, \(word)ms or \(word)us")
    try advance()
    if case .word(let unit) = token, let value = Self.nanoseconds(word + unit) {
      try advance()
      return value
    }
    guard quantity == .latency || value == 0 else { throw missing }
    return value
  }

  /// Returns why a quoted text cannot be compared with a number, and what to write instead.
  private static func needsNumber(_ quantity: PacketFilter.Quantity, _ text: String) -> String {
    let word = quantity.rawValue
    if integer(text) != nil || nanoseconds(text) != nil { return "`\(word)` is a number: write \(text) without quotes" }
    guard quantity == .value else { return "`\(word)` is a number; texts are `text`, `name`, `type` and `address`" }
    let octets = text.isEmpty ? "" : ", or hex contains \(Array(text.utf8).hexadecimal) for its octets"
    return "`value` is a number, that of up to 8 octets; for a text write text contains \"\(text)\"\(octets)"
  }

  /// Signs of other languages.
  private static let familiarSigns: [Character: String] = [
    "=": "equality is `==`", "&": "tests are joined with `&&`", "|": "tests are joined with `||`",
    "'": "texts have double quotes", ",": "tests are joined with `&&` or `||`",
  ]

  /// The words with which Wireshark's filters compare, and the signs for them.
  private static let familiarComparisons = [
    "eq": "==", "ne": "!=", "gt": ">", "lt": "<", "ge": ">=", "le": "<=", "is": "==", "matches": "~",
  ]

  private static func integer(_ text: String) -> Int64? {
    text.lowercased().hasPrefix("0x") ? Int64(text.dropFirst(2), radix: 16) : Int64(text)
  }

  private static func nanoseconds(_ text: String) -> Int64? {
    let units: [(String, Double)] = [("us", 1e3), ("ms", 1e6), ("s", 1e9), ("", 1e6)]
    for (unit, factor) in units where text.hasSuffix(unit) {
      guard let value = Double(text.dropLast(unit.count)), value.isFinite, abs(value * factor) < 9e18 else {
        return nil
      }
      return Int64(value * factor)
    }
    return nil
  }

  private static let layers: [String: Set<PacketLayer>] = [
    "l2cap": Set(PacketLayer.allCases.filter { $0.isACL && $0 != .acl }),
    "acl": Set(PacketLayer.allCases.filter(\.isACL)), "adv": [.advertising],
  ]

  private static let opcodes: [String: Set<UInt16>] = [
    "att.read": [0x0A, 0x0B, 0x0C, 0x0D, 0x0E, 0x0F, 0x20, 0x21], "att.write": [0x12, 0x16, 0x18, 0x52, 0xD2],
    "att.notification": [0x1B, 0x23], "att.indication": [0x1D], "att.confirmation": [0x1E], "att.error": [0x01],
    "att.mtu": [0x02, 0x03], "att.discovery": [0x04, 0x05, 0x06, 0x07, 0x08, 0x09, 0x10, 0x11],
    "att.request": [0x02, 0x04, 0x06, 0x08, 0x0A, 0x0C, 0x0E, 0x10, 0x12, 0x16, 0x18, 0x20],
    "att.response": [0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x17, 0x19, 0x21],
    "att.command": [0x52, 0xD2],
  ]
}
