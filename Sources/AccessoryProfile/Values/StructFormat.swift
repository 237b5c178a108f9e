/// Fields, one behind the other. What is declared is compiled once into a plan of steps, by which values are encoded and decoded.
///
/// A word of bits on which other fields depend is no field of the value: its bits follow from which fields are given, and those on which
/// nothing depends are fields beside the others.
public final class StructFormat: Hashable, Sendable {
  /// The fields as they are declared, in the order of their octets.
  public let members: [ValueFormat.Field]
  /// The fields that values show. A value can also be given by slots: one place for each of these.
  public let fields: [ValueFormat.Field]
  /// The name by which the format was called; nil where it stands in its place.
  public let name: String?
  /// How many octets every value takes; nil where that differs.
  let fixedSize: Int?
  let isSelfDelimiting: Bool
  let canBeEmpty: Bool
  let steps: [Step]
  let gates: [Gate]
  /// The slots that show parts of the time of day.
  let clockSlots: [(slot: Int, part: ValueFormat.ClockPart)]

  /// One step of the plan.
  enum Step: Sendable {
    /// An integer that is a field.
    case scalar(ValueFormat, word: ValueFormat.Word, Place)
    /// An integer in one of two formats: the second when a gate is open.
    case choice(ValueFormat, ValueFormat, Place, gate: Int)
    /// A field of any other kind.
    case value(ValueFormat, Place)
    /// Bits that fields and gates share.
    case word(ValueFormat.Word, [Bits], assigned: UInt64)
    /// The size of the whole.
    case size(ValueFormat.Word)
  }

  /// Where the value of a field is found, and when it is there.
  struct Place: Sendable {
    var slot: Int
    /// The gate that lets the field in, and in which position; nil where it always is there.
    var gate: Int?
    var isInverted = false
    /// It is there when octets are left.
    var isTail = false
  }

  /// Some bits of a word.
  enum Bits: Sendable {
    /// A field, which may also open a gate when it is not zero.
    case slot(Int, BitsFormat.Member, gate: Int?)
    case gate(Int, shift: Int)
  }

  /// One bit that says which fields are there, or how wide one is.
  struct Gate: Sendable {
    var bit: ValueFormat.Bit
    /// The slots that are there when it is set, and when it is not.
    var set: [Int] = []
    var unset: [Int] = []
    /// The slot that is wide when it is set, and the format that it has else.
    var wide: (slot: Int, narrow: ValueFormat)?
    /// The field that the bit is.
    var selector: (slot: Int, member: BitsFormat.Member)?
  }

  /// A structure of fields that fit together; use `faults` to see whether they do.
  public init(_ members: [ValueFormat.Field], name: String? = nil) {
    var compiler = StructCompiler()
    for member in members { compiler.add(member, among: members) }
    self.members = members
    self.name = name
    fields = compiler.fields
    steps = compiler.steps
    gates = compiler.gates
    clockSlots = compiler.fields.enumerated().compactMap { slot, field in field.clockPart.map { (slot, $0) } }
    fixedSize = members.reduce(0) { size, member in
      guard let size, member.condition == nil, member.narrow == nil, member.other == nil else { return nil }
      return member.format.fixedSize.map { size + $0 }
    }
    isSelfDelimiting = compiler.isSelfDelimiting
    canBeEmpty = members.allSatisfy { $0.condition != nil || $0.format.canBeEmpty }
  }

  /// The same fields under a name.
  func named(_ name: String) -> StructFormat { StructFormat(members, name: name) }

  /// The place of a field among those that values show.
  func slot(of name: String, from hint: Int = 0) -> Int? {
    if hint < fields.count, fields[hint].name == name { return hint }
    return fields.firstIndex { $0.name == name }
  }

  /// Whether both have the same fields.
  public static func == (left: StructFormat, right: StructFormat) -> Bool {
    left === right || left.members == right.members
  }

  /// Hashes the fields.
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

/// Turns declared fields into steps.
private struct StructCompiler {
  var fields: [ValueFormat.Field] = []
  var steps: [StructFormat.Step] = []
  var gates: [StructFormat.Gate] = []
  var isSelfDelimiting = true

  mutating func add(_ member: ValueFormat.Field, among members: [ValueFormat.Field]) {
    if case .bits(let bits) = member.format, member.isWord(among: members) { return addWord(member, bits, members) }
    if member.derivation == .size, let word = member.format.word {
      steps.append(.size(word))
      // The size says where the structure ends, and with it the fields behind.
      isSelfDelimiting = true
      return
    }
    let slot = fields.count
    fields.append(member)
    var place = StructFormat.Place(slot: slot)
    switch member.condition {
    case .bit(let bit, let isInverted)?:
      let gate = gate(bit)
      if isInverted { gates[gate].unset.append(slot) } else { gates[gate].set.append(slot) }
      place.gate = gate
      place.isInverted = isInverted
    case .rest?: place.isTail = true
    case nil: break
    }
    if place.isTail || !member.format.isSelfDelimiting, !steps.contains(where: \.isSize) { isSelfDelimiting = false }
    if let narrow = member.narrow {
      let gate = gate(narrow.wideBit)
      gates[gate].wide = (slot, narrow.format)
      steps.append(.choice(narrow.format, member.format, place, gate: gate))
    } else if let other = member.other {
      steps.append(.choice(member.format, other.format, place, gate: gate(other.bit)))
    } else if let word = member.format.word {
      steps.append(.scalar(member.format, word: word, place))
    } else {
      steps.append(.value(member.format, place))
    }
  }

  private mutating func addWord(
    _ member: ValueFormat.Field, _ bits: BitsFormat, _ members: [ValueFormat.Field]
  ) {
    var parts: [StructFormat.Bits] = []
    for part in bits.members where !part.name.isEmpty {
      let bit = ValueFormat.Bit(word: member.name, name: part.name)
      if members.contains(where: { $0.depends(on: bit) }) {
        parts.append(.gate(gate(bit), shift: part.shift))
      } else {
        var selected: Int?
        if members.contains(where: { $0.other?.bit == bit }) {
          let index = gate(bit)
          gates[index].selector = (fields.count, part)
          selected = index
        }
        parts.append(.slot(fields.count, part, gate: selected))
        fields.append(part.field)
      }
    }
    steps.append(.word(bits.word, parts, assigned: bits.assigned))
  }

  private mutating func gate(_ bit: ValueFormat.Bit) -> Int {
    if let known = gates.firstIndex(where: { $0.bit == bit }) { return known }
    gates.append(StructFormat.Gate(bit: bit))
    return gates.count - 1
  }
}

extension StructFormat.Step {
  fileprivate var isSize: Bool { if case .size = self { true } else { false } }
}

extension ValueFormat.Field {
  /// Whether a bit says that the field is there, or how wide it is.
  func depends(on bit: ValueFormat.Bit) -> Bool {
    if case .bit(bit, _) = condition { return true }
    return narrow?.wideBit == bit
  }

  /// Whether the fields of its bits stand beside its neighbours.
  func isWord(among members: [ValueFormat.Field]) -> Bool {
    isInline || members.contains { $0.words.contains(name) }
  }

  /// The words whose bits it depends on.
  var words: [String] {
    var words = [narrow?.wideBit.word, other?.bit.word].compactMap { $0 }
    if case .bit(let bit, _) = condition { words.append(bit.word) }
    return words
  }
}
