import BLECore

extension ProfileLoader {
  /// The format that a characteristic's keys say, or its UUID, or the spelling of its value; nil where the keys are
  /// wrong.
  mutating func valueFormat(_ keys: Keys, _ uuid: BluetoothUUID?) -> ValueFormat? {
    if let node = keys["format"] { return format(node) }
    if let assigned = uuid.flatMap({ AssignedFormats.format(of: $0) }) { return assigned }
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
    + IntegerFormat.names.compactMap { name in IntegerFormat(named: name).map { (name, .integer($0)) } }

  /// A format by name, the format of an assigned characteristic, or one that is put together.
  mutating func format(_ node: SyntaxNode) -> ValueFormat? {
    if node.pairs != nil { return composedFormat(node) }
    guard let name = text(node) else { return nil }
    if let simple = Self.simpleFormats.first(where: { $0.name == name }) { return simple.format }
    if let uuid = AssignedName.uuid(named: name, kind: .characteristic), let assigned = AssignedFormats.format(of: uuid)
    {
      return assigned
    }
    let known = Self.simpleFormats.map(\.name) + Language.formats.compactMap(\.names.first)
    error(
      node, "unknown format '\(name)'\(Spelling.hint(for: name, among: known)), or an assigned characteristic's name")
    return nil
  }

  private mutating func composedFormat(_ node: SyntaxNode) -> ValueFormat? {
    let heads = Language.formats.compactMap(\.names.first)
    guard let table = Language.formats.first(where: { node.value(of: $0.names.first ?? "") != nil }) else {
      error(node, "a format is wanted that begins with one of \(heads.joined(separator: ", "))")
      return nil
    }
    guard let keys = keys(node, table) else { return nil }
    if let number = keys["number"] {
      guard let name = oneOf(number, IntegerFormat.names), var format = IntegerFormat(named: name) else { return nil }
      if let decimals = keys["decimals"].flatMap({ integer($0, 0...6) }) { format.decimals = Int(decimals) }
      return .integer(format)
    }
    if let fields = keys["struct"] { return structure(fields) }
    if let names = keys["names"] { return namedNumbers(names).map { .named($0) } }
    if let flags = keys["flags"] { return namedNumbers(flags).map { .flags($0) } }
    if let member = keys["list"], let format = format(member) {
      guard format.fixedSize ?? 0 > 0 else {
        error(member, "the members of a list have a fixed size")
        return nil
      }
      return .list(format)
    }
    return nil
  }

  private mutating func structure(_ node: SyntaxNode) -> ValueFormat? {
    guard let pairs = node.pairs, !pairs.isEmpty else {
      error(node, "a mapping from fields to formats is wanted, not \(node.kindName)")
      return nil
    }
    var fields: [ValueFormat.Field] = []
    for (index, pair) in pairs.enumerated() {
      guard let format = format(pair.value) else { continue }
      if format.fields != nil {
        error(pair.value, "a field cannot have fields of its own")
      } else if format.fixedSize == nil, index < pairs.count - 1 {
        error(pair.value, "only the last field may have no fixed size")
      }
      fields.append(.init(pair.name, format))
    }
    return fields.count == pairs.count ? .structure(fields) : nil
  }

  private mutating func namedNumbers(_ node: SyntaxNode) -> [ValueFormat.NamedNumber]? {
    guard let pairs = node.pairs, !pairs.isEmpty else {
      error(node, "a mapping from names to numbers is wanted, not \(node.kindName)")
      return nil
    }
    return pairs.compactMap { pair in
      integer(pair.value, 0...255).map { .init(pair.name, UInt8(truncatingIfNeeded: $0)) }
    }
  }
}

extension ValueFormat {
  /// How many octets every value takes; nil where that differs.
  var fixedSize: Int? {
    switch self {
    case .octets, .text, .uuid, .list, .heartRateMeasurement: nil
    case .boolean, .named, .flags, .timeZone: 1
    case .integer(let format): format.octets
    case .dateTime: 7
    case .structure, .currentTime:
      (fields ?? []).reduce(0) { size, field in
        guard let size, let more = field.format.fixedSize else { return nil }
        return size + more
      }
    }
  }
}
