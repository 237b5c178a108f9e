import BLECore

/// The context of a format.
struct FormatContext {
  /// Whether integers without an order have the most significant octet first.
  var isBigEndian = false
  /// Whether the format is that of a field of bits, which can have any width.
  var isInWord = false
  /// Whether the format is that of a field of a struct, and so may have the keys of a field.
  var isField = false
}

extension ProfileLoader {
  /// Returns the format given by a characteristic's keys, or else by its UUID, or else by the notation of its value; nil if the keys are
  /// invalid.
  mutating func valueFormat(_ keys: Keys, _ uuid: BluetoothUUID?) -> ValueFormat? {
    if let node = keys["format"] { return format(node) }
    if let assigned = uuid.flatMap({ ShippedFormats.format(of: $0) }) { return assigned }
    if let value = keys["value"], let format = FamiliarShapes.format(for: value) {
      error(value, "octets need a width, but \(value.kindName) has none: add format: \(format)")
      return nil
    }
    switch keys["value"]?.content {
    case .scalar(_, isQuoted: true): return .text
    case .scalar(let text, isQuoted: false): return OctetLiteral(plain: text)?.format ?? .octets
    default: return .octets
    }
  }

  private static let simpleFormats: [(name: String, format: ValueFormat)] =
    [
      ("hex", .octets), ("utf8", .text), ("bool", .boolean), ("uuid", .uuid), ("date-time", .dateTime),
      ("time-zone", .timeZone),
    ]
    + (IntegerFormat.names + floatNames).compactMap { name in
      numberFormat(named: name, FormatContext()).map { (name, $0) }
    }

  private static let floatNames = ["sfloat", "float", "float32", "float64"]

  /// The names that `number` accepts.
  static let numberNames = IntegerFormat.names + floatNames

  /// Loads a format, given by name or as a definition, within the budgets of formats.
  mutating func format(_ node: SyntaxNode, _ context: FormatContext = FormatContext()) -> ValueFormat? {
    if formatDepth == 0 { formatAllowance = Allowance(.format) }
    formatDepth += 1
    defer { formatDepth -= 1 }
    guard formatDepth <= Budget.formatDepth.limit else {
      error(node, "this \(Budget.formatDepth.excess)")
      return nil
    }
    return spendFormat(1, node) ? unboundedFormat(node, context) : nil
  }

  /// Takes parts of a format from its budget. Returns false if the budget is exceeded, and reports that once.
  mutating func spendFormat(_ parts: Int, _ node: SyntaxNode) -> Bool {
    let hadSome = formatAllowance.left >= 0
    guard !formatAllowance.take(parts) else { return true }
    if hadSome { error(node, "this \(Budget.format.excess), with those of the formats that it names") }
    return false
  }

  private mutating func unboundedFormat(_ node: SyntaxNode, _ context: FormatContext) -> ValueFormat? {
    if node.pairs != nil { return composedFormat(node, context) }
    guard let name = text(node) else { return nil }
    if let number = Self.numberFormat(named: name, context) { return number }
    if let simple = Self.simpleFormats.first(where: { $0.name == name }) { return simple.format }
    if let own = ownFormat(name, node) { return own.flatMap { fitting($0, node, context) } }
    if let shipped = ShippedFormats.format(named: name) { return fitting(shipped, node, context) }
    let known =
      Self.simpleFormats.map(\.name) + Language.formats.compactMap(\.names.first) + ownFormats.map(\.key).sorted()
    error(
      node, "unknown format '\(name)'\(hint(for: name, among: known)), or an assigned characteristic's name")
    return nil
  }

  /// Checks a named format. A format of single bits is only allowed in bits.
  private mutating func fitting(_ format: ValueFormat, _ node: SyntaxNode, _ context: FormatContext) -> ValueFormat? {
    if let word = format.word, !word.bits.isMultiple(of: 8), format != .boolean, !context.isInWord {
      error(node, "'\(node.text ?? "")' has \(word.bits) bits, and can only be used for fields of 'bits'")
      return nil
    }
    return format
  }

  private mutating func composedFormat(_ node: SyntaxNode, _ context: FormatContext) -> ValueFormat? {
    let heads = Language.formats.compactMap(\.names.first)
    guard let table = Language.formats.first(where: { node.value(of: $0.names.first ?? "") != nil }) else {
      error(node, "expected a format that begins with one of \(heads.joined(separator: ", "))")
      return nil
    }
    guard let head = table.names.first, let keys = keys(node, table), let value = keys[head] else { return nil }
    if !context.isField {
      for key in Language.fieldKeys {
        if let place = keys.key(key.name) { error(place, "'\(key.name)' is only for fields of a struct") }
      }
    }
    var context = context
    context.isField = false
    if let order = keys["order"], let word = oneOf(order, Language.orders) { context.isBigEndian = word == "big" }
    switch head {
    case "number": return number(keys, value, context)
    case "struct":
      context.isInWord = false
      return structure(value, context).map { .structure($0) }
    case "bits": return bits(keys, value, context).map { .bits($0) }
    case "names":
      guard let word = word(keys["as"], context), let names = namedNumbers(value, upTo: word, isMask: false) else {
        return nil
      }
      return .named(names, word)
    case "flags":
      guard let word = word(keys["as"], context), let names = namedNumbers(value, upTo: word, isMask: true) else {
        return nil
      }
      return .flags(names, word)
    case "text": return extent(value, Language.textFormat.words(of: head)).map { .utf8($0) }
    case "octets": return extent(value, Language.octetsFormat.words(of: head)).map { .hex($0) }
    case "list":
      context.isInWord = false
      return list(keys, value, context)
    default: return format(value, context)
    }
  }

  private mutating func list(_ keys: Keys, _ node: SyntaxNode, _ context: FormatContext) -> ValueFormat? {
    let length = keys["length"].map { extent($0, Language.listFormat.words(of: "length")) } ?? .rest
    guard let member = format(node, context), let length else { return nil }
    guard member.isSelfDelimiting, !member.canBeEmpty else {
      error(node, "the members of a list need a known length of at least one octet")
      return nil
    }
    // Nested lists multiply. No value and no SDU is longer than this.
    if case .fixed(let count) = length, let size = member.fixedSize, size * count > 65_535 {
      error(node, "\(count) members of \(size) octets are more than 65535 octets")
      return nil
    }
    return .list(member, length)
  }

  /// Reads an extent: a number of octets or members, a word, or the width of an integer in front that contains the number.
  private mutating func extent(_ node: SyntaxNode, _ words: [String]) -> ValueFormat.Extent? {
    if let text = node.plainText, Numbers.integer(text) != nil {
      return integer(node, 1...512).map { .fixed(Int($0)) }
    }
    switch oneOf(node, words) {
    case "rest": return .rest
    case "terminated": return .terminated
    case let width?: return IntegerFormat(named: width).map { .counted(octets: $0.octets) }
    case nil: return nil
    }
  }

  // MARK: Numbers

  private static func numberFormat(named name: String, _ context: FormatContext) -> ValueFormat? {
    switch name {
    case "sfloat", "float":
      var format = MedicalFloat(isShort: name == "sfloat")
      format.isBigEndian = context.isBigEndian
      return .medical(format)
    case "float32", "float64":
      return .floating(.init(bits: name == "float32" ? 32 : 64, isBigEndian: context.isBigEndian))
    default:
      guard var format = IntegerFormat(named: name), context.isInWord || format.word.bits.isMultiple(of: 8) else {
        return nil
      }
      format.word.isBigEndian = context.isBigEndian
      return .integer(format)
    }
  }

  private mutating func number(_ keys: Keys, _ head: SyntaxNode, _ context: FormatContext) -> ValueFormat? {
    guard let name = text(head) else { return nil }
    let scaling = ["decimals", "multiply", "exponent", "binary-exponent", "offset", "special"]
    let unit = keys["unit"].flatMap { text($0) } ?? ""
    switch Self.numberFormat(named: name, context) {
    case .integer(var format)?:
      format.unit = unit
      scale(&format, keys)
      return .integer(format)
    case .medical(var format)?:
      for key in scaling where key != "exponent" { refuse(key, keys, name) }
      format.exponent = keys["exponent"].flatMap { integer($0, format.isShort ? -8...7 : -128...127) }.map { Int($0) }
      format.unit = unit
      return .medical(format)
    case let format?:
      for key in scaling { refuse(key, keys, name) }
      return format
    case nil:
      _ = oneOf(head, Self.numberNames)
      return nil
    }
  }

  private mutating func refuse(_ key: String, _ keys: Keys, _ name: String) {
    if let place = keys.key(key) { error(place, "'\(key)' is for integers, but '\(name)' is not an integer") }
  }

  private mutating func scale(_ format: inout IntegerFormat, _ keys: Keys) {
    if let exponent = integer(keys, "exponent") { format.exponent = Int(exponent) }
    if let decimals = integer(keys, "decimals") {
      if let key = keys.key("exponent") { error(key, "'decimals' and 'exponent' cannot be combined") }
      format.exponent = -Int(decimals)
    }
    if let factor = integer(keys, "multiply") { format.multiplier = Int(factor) }
    if let exponent = integer(keys, "binary-exponent") {
      format.binaryExponent = Int(exponent)
    }
    if let node = keys["offset"], let offset = number(node) { format.offset = offset }
    guard let node = keys["special"] else { return }
    // A negative number is represented by its bits in two's complement.
    let word = format.word
    for pair in mapping(node, "from names to numbers") {
      guard let number = Numbers.whole(pair.value.plainText ?? ""),
        let bits = try? IntegerFormat(bits: word.bits, isSigned: isNegative(number)).raw(number)
      else {
        error(pair.value, "expected a whole number of \(word.bits) bits, not \(pair.value.kindName)")
        continue
      }
      format.special.append(.init(pair.name, bits))
    }
  }

  private func isNegative(_ value: ProfileValue) -> Bool { (value.number ?? 0) < 0 }

  // MARK: Names

  /// Reads the integer that holds names or flags; by default, an octet.
  mutating func word(_ node: SyntaxNode?, _ context: FormatContext) -> ValueFormat.Word? {
    guard let node else { return .init(bits: 8, isBigEndian: context.isBigEndian) }
    guard let name = text(node) else { return nil }
    guard let format = IntegerFormat(named: name), !format.isSigned,
      context.isInWord || format.word.bits.isMultiple(of: 8)
    else {
      _ = oneOf(node, IntegerFormat.names.filter { $0.hasPrefix("u") })
      return nil
    }
    return .init(bits: format.word.bits, isBigEndian: context.isBigEndian)
  }

  private mutating func namedNumbers(
    _ node: SyntaxNode, upTo word: ValueFormat.Word, isMask: Bool
  ) -> [ValueFormat.NamedNumber]? {
    let pairs = mapping(node, "from names to numbers")
    guard !pairs.isEmpty else { return nil }
    let range = Int64(isMask ? 1 : 0)...Int64(clamping: word.greatest)
    let names = pairs.compactMap { pair in
      integer(pair.value, range).map { ValueFormat.NamedNumber(pair.name, UInt64(bitPattern: $0)) }
    }
    return names.count == pairs.count ? names : nil
  }

  /// Returns the pairs of a non-empty mapping. For anything else, reports an error and returns none.
  mutating func mapping(_ node: SyntaxNode, _ what: String) -> [SyntaxPair] {
    if node.pairs?.isEmpty ?? true { error(node, "expected a mapping \(what), not \(node.kindName)") }
    return node.pairs ?? []
  }
}
