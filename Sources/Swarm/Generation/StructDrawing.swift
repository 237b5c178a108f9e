import AccessoryProfile

/// Draws the fields of structs: a word of bits, and fields whose presence, width or unit depends on the bits.
/// They are drawn together, because keys that refer to each other would rarely fit otherwise.
extension TableDrawing {
  /// Returns the fields of a struct.
  mutating func structFields() -> ProfileTree {
    var pairs: [ProfileTree.Pair] = [
      .init(
        "w",
        .mapping(
          [
            .init("bits", .mapping((0..<6).map { .init("b\($0)", $0 < 5 ? .word("boolean") : .number(3)) }))
          ] + (values.chance(0.5) ? [.init("inline", .word("true"))] : [])))
    ]
    let count = 1 + values.below(4)
    for place in 0..<count { pairs.append(.init("f\(place)", field(place, isLast: place == count - 1))) }
    return .mapping(pairs)
  }

  private mutating func field(_ place: Int, isLast: Bool) -> ProfileTree {
    var pairs = baseFormat()
    let bit = ProfileTree.word("w.b\(place)")
    for _ in 0...values.below(2) {
      switch values.below(11) {
      case 0: pairs.append(.init("default", pairs.first?.key == "number" ? .number(1) : kind.value(&values)))
      case 1, 2: pairs.append(.init("if", bit))
      case 3: pairs.append(.init("unless", bit))
      case 4: if isLast { pairs.append(.init("optional", .word("true"))) }
      case 5: pairs += [.init("narrow", .word("u8")), .init("wide-if", bit)]
      case 6: pairs += [.init("other", .word("u16")), .init("other-if", .word("w.b5"))]
      case 7: pairs.append(.init("derive", .word("size")))
      case 8: pairs.append(.init("clock", values.one(of: clockParts).map { .word($0) } ?? .word("hour")))
      case 9: pairs.append(.init("in", .word("every \(2 + values.below(3))th")))
      default: if pairs.first?.key == "bits" { pairs.append(.init("inline", .word("true"))) }
      }
    }
    // A key may occur only once.
    var known: Set<String> = []
    return .mapping(pairs.filter { known.insert($0.key).inserted })
  }

  private var clockParts: [String] {
    guard let key = Self.tables["number-format"]?.keys.first(where: { $0.name == "clock" }) else { return [] }
    return key.type.namesOnly
  }

  /// Returns a format from one of the tables of formats. Its values contain or fix their length.
  private mutating func baseFormat() -> [ProfileTree.Pair] {
    let names = ProfileTree.mapping([.init("one", .number(1)), .init("two", .number(2))])
    switch values.below(11) {
    case 0: return [.init("struct", .mapping([.init("a", .word("u8")), .init("b", .word("s16"))]))]
    case 1: return [.init("bits", .mapping([.init("x\(values.below(9))", .number(4)), .init("y", .number(4))]))]
    case 2: return [.init("names", names)]
    case 3: return [.init("flags", names)]
    case 4: return [.init("list", .word("u8")), .init("length", .word("u8"))]
    case 5: return [.init("text", .word("u8"))]
    case 6: return [.init("octets", .number(2))]
    case 7: return [.init("format", .word("u16"))]
    default:
      var pairs: [ProfileTree.Pair] = [.init("number", .word(values.one(of: ["u16", "u32", "s16", "u8"]) ?? "u16"))]
      switch values.below(7) {
      case 0: pairs.append(.init("binary-exponent", .number(-1)))
      case 1: pairs.append(.init("offset", .number(40)))
      case 2: pairs.append(.init("special", .mapping([.init("none", .number(255))])))
      case 3: pairs.append(.init("decimals", .number(1)))
      default: break
      }
      return pairs
    }
  }
}
