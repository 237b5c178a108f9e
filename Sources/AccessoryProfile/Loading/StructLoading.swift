extension ProfileLoader {
  // MARK: Structures

  /// Loads the fields of a struct, in order.
  mutating func structure(_ node: SyntaxNode, _ context: FormatContext) -> StructFormat? {
    let pairs = mapping(node, "from fields to formats")
    var context = context
    context.isField = true
    var members: [ValueFormat.Field] = []
    var places: [SyntaxPair] = []
    for pair in pairs {
      guard let member = field(pair, context) else { continue }
      members.append(member)
      places.append(pair)
    }
    guard !pairs.isEmpty, members.count == pairs.count else { return nil }
    let before = diagnosticCount
    for index in members.indices { check(members, index, places) }
    checkNames(members, places)
    return diagnosticCount == before ? StructFormat(members) : nil
  }

  private mutating func field(_ pair: SyntaxPair, _ context: FormatContext) -> ValueFormat.Field? {
    guard let format = format(pair.value, context) else { return nil }
    var field = ValueFormat.Field(pair.name, format)
    guard let given = pair.value.pairs else { return field }
    for given in given { read(given, of: &field, context) }
    return field
  }

  /// Reads a key that a field has in addition to those of its format.
  private mutating func read(_ key: SyntaxPair, of field: inout ValueFormat.Field, _ context: FormatContext) {
    switch key.name {
    case "default": field.defaultValue = constant(key.value, field.format)
    case "if", "unless":
      if field.condition != nil { error(key.key, "only one of 'if', 'unless' and 'optional' is possible") }
      if let bit = bit(key.value) { field.condition = .bit(bit, isInverted: key.name == "unless") }
    case "optional":
      guard boolean(key.value) == true else { return }
      if field.condition != nil { error(key.key, "only one of 'if', 'unless' and 'optional' is possible") }
      field.condition = .rest
    case "narrow":
      guard case .integer(var narrow) = field.format, let name = text(key.value),
        let width = IntegerFormat(named: name), width.word.bits < narrow.word.bits
      else { return error(key.value, "expected a narrower integer, such as u8 for u16, not \(key.value.kindName)") }
      narrow.word.bits = width.word.bits
      guard let bit = field.narrow?.wideBit else {
        field.narrow = .init(format: .integer(narrow), wideBit: .init(word: "", name: ""))
        return
      }
      field.narrow = .init(format: .integer(narrow), wideBit: bit)
    case "wide-if":
      guard let bit = bit(key.value) else { return }
      field.narrow = .init(format: field.narrow?.format ?? .octets, wideBit: bit)
    case "other":
      guard let other = format(key.value, FormatContext(isBigEndian: context.isBigEndian)) else { return }
      guard other.word != nil, field.format.word != nil else {
        return error(key.value, "'other' is for integers, and must be an integer")
      }
      field.other = .init(format: other, bit: field.other?.bit ?? .init(word: "", name: ""))
    case "other-if":
      guard let bit = bit(key.value) else { return }
      field.other = .init(format: field.other?.format ?? .octets, bit: bit)
    case "derive": field.derivation = derivation(key.value)
    case "clock": field.clockPart = oneOf(key.value, Language.clockParts).flatMap { .init(rawValue: $0) }
    case "in": field.sampleInterval = ordinal(key.value) ?? 1
    case "inline": field.isInline = boolean(key.value) ?? false
    default: break
    }
  }

  /// Reads a reference to a bit, written as `flags.energy`.
  private mutating func bit(_ node: SyntaxNode) -> ValueFormat.Bit? {
    guard let text = text(node) else { return nil }
    let parts = text.split(separator: ".", omittingEmptySubsequences: false).map { String($0) }
    guard parts.count == 2 else {
      error(node, "expected a bit, as FIELD.BIT, not '\(text)'")
      return nil
    }
    return .init(word: parts[0], name: parts[1])
  }

  private mutating func derivation(_ node: SyntaxNode) -> ValueFormat.Derivation? {
    guard let text = text(node) else { return nil }
    if text == "size" { return .size }
    if let name = text.dropping(prefix: "weekday("), name.last == ")" { return .weekday(String(name.dropLast())) }
    error(node, "expected size, or weekday(FIELD), not '\(text)'")
    return nil
  }

  /// Reads the number in `every 10th`.
  private mutating func ordinal(_ node: SyntaxNode) -> Int? {
    let digits = node.text?.dropping(prefix: "every ")?.prefix { $0.isNumber } ?? ""
    let ending = node.text?.dropping(prefix: "every ")?.dropFirst(digits.count) ?? ""
    guard let number = Int(digits), (1...10_000).contains(number), ["st", "nd", "rd", "th"].contains(ending) else {
      error(node, "expected an interval such as 'every 10th', not \(node.kindName)")
      return nil
    }
    return number
  }

  // MARK: Consistency of fields

  private mutating func check(_ members: [ValueFormat.Field], _ index: Int, _ places: [SyntaxPair]) {
    let node = places[index].value
    checkEnd(members, index, node)
    checkPresence(members, index, node)
    checkWidths(members, index, node)
    if members[index].isInline {
      if case .bits = members[index].format {} else { error(node, "'inline' is only for 'bits'") }
    }
    let place = node.value(of: "derive") ?? node
    switch members[index].derivation {
    case .weekday(let name)?:
      if !members.contains(where: { $0.name == name && $0.format == .dateTime }) {
        error(place, "there is no date-time '\(name)' in this struct")
      }
    case .size?:
      guard case .integer(let format) = members[index].format, format.isPlain, members[index].condition == nil else {
        return error(place, "a size must be an integer that is always present")
      }
    case nil: break
    }
  }

  /// Checks that only the last field extends to the end, or several alternative fields that are selected by bits.
  private mutating func checkEnd(_ members: [ValueFormat.Field], _ index: Int, _ node: SyntaxNode) {
    let member = members[index]
    let others = members[(index + 1)...]
    let isOpen = !member.format.isSelfDelimiting || member.condition == .rest
    guard isOpen, !others.isEmpty else { return }
    let areChosen = member.condition != .rest && ([member] + others).allSatisfy { $0.condition != nil }
    if !areChosen { error(node, "only the last field may extend to the end") }
  }

  private mutating func checkPresence(_ members: [ValueFormat.Field], _ index: Int, _ node: SyntaxNode) {
    guard case .bit(let bit, _)? = members[index].condition else { return }
    check(bit, members.prefix(index), node.value(of: "if") ?? node.value(of: "unless") ?? node)
    if case .bits = members[index].format, members[index].isWord(among: members) {
      error(node, "bits that are fields of their own must always be present")
    }
  }

  private mutating func checkWidths(_ members: [ValueFormat.Field], _ index: Int, _ node: SyntaxNode) {
    let before = members.prefix(index)
    if let narrow = members[index].narrow {
      let place = node.value(of: "wide-if") ?? node
      if narrow.format == .octets || narrow.wideBit.word.isEmpty {
        error(place, "'narrow' and 'wide-if' belong together")
      } else {
        check(narrow.wideBit, before, place)
        let users = members.count { $0.depends(on: narrow.wideBit) }
        if users > 1 { error(place, "another field depends on '\(narrow.wideBit)', too") }
      }
    }
    if let other = members[index].other {
      let place = node.value(of: "other-if") ?? node
      if other.format == .octets || other.bit.word.isEmpty {
        error(place, "'other' and 'other-if' belong together")
      } else if members[index].narrow != nil {
        error(place, "'narrow' and 'other' cannot be combined")
      } else {
        check(other.bit, before, place, isFlag: false)
        if members.contains(where: { $0.depends(on: other.bit) }) {
          error(place, "another field depends on '\(other.bit)', which is then not a field of the value")
        }
      }
    }
  }

  /// Checks that a bit belongs to a preceding field of bits.
  private mutating func check(
    _ bit: ValueFormat.Bit, _ before: ArraySlice<ValueFormat.Field>, _ node: SyntaxNode, isFlag: Bool = true
  ) {
    guard let word = before.first(where: { $0.name == bit.word }), case .bits(let bits) = word.format else {
      let known = before.filter { if case .bits = $0.format { true } else { false } }.map(\.name)
      let hint = known.isEmpty ? "" : self.hint(for: bit.word, among: known)
      return error(node, "there is no field of bits '\(bit.word)' before this one\(hint)")
    }
    let known = bits.members.filter { isFlag ? $0.format == .boolean : !$0.name.isEmpty }.map(\.name)
    guard known.contains(bit.name) else {
      return error(node, "'\(bit.word)' has no bit '\(bit.name)'\(hint(for: bit.name, among: known))")
    }
  }

  /// Checks that the names of the visible fields are unique, and that not too many bits control the presence of fields.
  private mutating func checkNames(_ members: [ValueFormat.Field], _ places: [SyntaxPair]) {
    let layout = StructFormat(members)
    var known: Set<String> = []
    for field in layout.fields where !known.insert(field.name).inserted {
      let place = places.last { $0.name == field.name } ?? places.last
      if let place { error(place.key, "there is another field '\(field.name)' among the bits") }
    }
    if layout.gates.count > 64, let place = places.last { error(place.key, "fields can depend on at most 64 bits") }
  }

  // MARK: Words of bits

  mutating func bits(_ keys: Keys, _ node: SyntaxNode, _ context: FormatContext) -> BitsFormat? {
    let pairs = mapping(node, "from names to bits")
    var context = context
    context.isInWord = true
    var members: [BitsFormat.Member] = []
    var shift = 0
    for pair in pairs {
      guard let format = bitFormat(pair.value, context) else { return nil }
      guard let word = format.word, word.bits <= 64 else {
        error(pair.value, "this is not an integer, so it cannot be a field of bits")
        return nil
      }
      var member = BitsFormat.Member(pair.name.hasPrefix("_") ? "" : pair.name, format, shift: shift)
      if let node = pair.value.value(of: "default"), let value = constant(node, format) { member.defaultValue = value }
      members.append(member)
      shift += word.bits
    }
    guard !pairs.isEmpty else { return nil }
    var word = ValueFormat.Word(bits: (max(shift, 1) + 7) / 8 * 8, isBigEndian: context.isBigEndian)
    if let node = keys["as"] {
      guard let given = self.word(node, FormatContext(isBigEndian: context.isBigEndian)) else { return nil }
      word = given
    }
    guard shift <= min(word.bits, 64) else {
      error(node, "these are \(shift) bits; the maximum is \(min(word.bits, 64))")
      return nil
    }
    return BitsFormat(members, word: word)
  }

  /// Reads the width of a bit field, or its format.
  private mutating func bitFormat(_ node: SyntaxNode, _ context: FormatContext) -> ValueFormat? {
    if let text = node.plainText, Numbers.integer(text) != nil {
      guard let width = integer(node, 1...64) else { return nil }
      return width == 1 ? .boolean : .integer(IntegerFormat(bits: Int(width)))
    }
    var context = context
    context.isField = true
    return format(node, context)
  }

  // MARK: The profile's own formats

  /// Loads the formats that the profile defines. All of them are loaded, so that every error is found.
  mutating func formats(_ node: SyntaxNode?) {
    guard let node else { return }
    let pairs = mapping(node, "from names to formats")
    for pair in pairs {
      guard Self.isIdentifier(pair.name) else {
        error(pair.key, "a name consists of letters, digits, '-' and '_', not '\(pair.name)'")
        continue
      }
      ownFormats[pair.name] = .unread(pair.value)
    }
    for pair in pairs { _ = ownFormat(pair.name, pair.value) }
  }

  /// Returns a format that the profile defines: `nil` if there is none with that name, `.some(nil)` if it is invalid.
  mutating func ownFormat(_ name: String, _ place: SyntaxNode) -> ValueFormat?? {
    switch ownFormats[name] {
    case nil: return nil
    case .read(let format, let parts)?: return .some(spendFormat(parts, place) ? format : nil)
    case .reading?:
      error(place, "the format '\(name)' contains itself")
      return .some(nil)
    case .unread(let node)?:
      ownFormats[name] = .reading
      let before = formatDepth == 0 ? Budget.format.limit : formatAllowance.left
      var format = format(node, FormatContext(isInWord: true))
      if case .structure(let layout)? = format { format = .structure(layout.named(name)) }
      ownFormats[name] = .read(format, parts: before - formatAllowance.left)
      return .some(format)
    }
  }

  /// A format that the profile defines, and its loading state.
  enum OwnFormat {
    case unread(SyntaxNode)
    case reading
    /// The format, or nil if it is invalid; and its number of parts, including those of formats that it names.
    case read(ValueFormat?, parts: Int)

    /// The format, if it is loaded and valid.
    var format: ValueFormat? { if case .read(let format, _) = self { format } else { nil } }
  }
}

extension ValueFormat {
  /// The number of parts, as counted by the budget of formats.
  var parts: Int {
    switch self {
    case .structure(let layout): layout.fields.reduce(1) { $0 + $1.format.parts }
    case .bits(let bits): 1 + bits.members.count
    case .list(let member, _): 1 + member.parts
    default: 1
    }
  }
}
