/// A sequence of fields. The declaration is compiled once into a plan of steps that encode and decode values.
///
/// A word of bits that other fields depend on is not a field of the value. Its bits follow from the presence of those fields, and bits that
/// nothing depends on are fields next to the others.
public final class StructFormat: Hashable, Sendable {
  /// The fields as declared, in the order of their octets.
  public let members: [ValueFormat.Field]
  /// The fields that values show. A value can also be given as slots, one for each of these fields.
  public let fields: [ValueFormat.Field]
  /// The name of the format; nil if it is defined in place.
  public let name: String?
  /// The size of every value in octets; nil if it varies.
  let fixedSize: Int?
  let isSelfDelimiting: Bool
  let canBeEmpty: Bool
  let steps: [Step]
  let gates: [Gate]
  /// The slots that contain parts of the time of day.
  let clockSlots: [(slot: Int, part: ValueFormat.ClockPart)]

  /// One step of the plan.
  enum Step: Sendable {
    /// An integer field.
    case scalar(ValueFormat, word: ValueFormat.Word, Place)
    /// An integer field in one of two formats: the second one if a gate is open.
    case choice(ValueFormat, ValueFormat, Place, gate: Int)
    /// A field of any other kind.
    case value(ValueFormat, Place)
    /// Bits that belong to fields and gates.
    case word(ValueFormat.Word, [Bits], assigned: UInt64)
    /// The size of the whole struct.
    case size(ValueFormat.Word)
  }

  /// The slot of a field, and the condition for its presence.
  struct Place: Sendable {
    var slot: Int
    /// The gate that controls the field, and whether it is inverted; nil if the field is always present.
    var gate: Int?
    var isInverted = false
    /// Whether the field is present only if octets are left.
    var isTail = false
  }

  /// Some bits of a word.
  enum Bits: Sendable {
    /// A field, which may also open a gate if it is not zero.
    case slot(Int, BitsFormat.Member, gate: Int?)
    case gate(Int, shift: Int)
  }

  /// A bit that controls the presence or the width of fields.
  struct Gate: Sendable {
    var bit: ValueFormat.Bit
    /// The slots that are present if the bit is set, and if it is not.
    var set: [Int] = []
    var unset: [Int] = []
    /// The slot that is wide if the bit is set, and its format otherwise.
    var wide: (slot: Int, narrow: ValueFormat)?
    /// The field that consists of this bit.
    var selector: (slot: Int, member: BitsFormat.Member)?
  }

  /// Creates a struct from fields that have been checked to fit together.
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

  /// Returns the same struct with a name.
  func named(_ name: String) -> StructFormat { StructFormat(members, name: name) }

  /// Returns the position of a field among those that values show.
  func slot(of name: String, from hint: Int = 0) -> Int? {
    if hint < fields.count, fields[hint].name == name { return hint }
    return fields.firstIndex { $0.name == name }
  }

  /// Returns whether both have the same fields.
  public static func == (left: StructFormat, right: StructFormat) -> Bool {
    left === right || left.members == right.members
  }

  /// Hashes the fields.
  public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}

/// Compiles declared fields into steps.
private struct StructCompiler {
  var fields: [ValueFormat.Field] = []
  var steps: [StructFormat.Step] = []
  var gates: [StructFormat.Gate] = []
  var isSelfDelimiting = true

  mutating func add(_ member: ValueFormat.Field, among members: [ValueFormat.Field]) {
    if case .bits(let bits) = member.format, member.isWord(among: members) { return addWord(member, bits, members) }
    if member.derivation == .size, let word = member.format.word {
      steps.append(.size(word))
      // The size determines the end of the struct, and so of the last field.
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
  /// Returns whether a bit controls the presence or the width of this field.
  func depends(on bit: ValueFormat.Bit) -> Bool {
    if case .bit(bit, _) = condition { return true }
    return narrow?.wideBit == bit
  }

  /// Returns whether the bit fields of this word appear next to its neighbors.
  func isWord(among members: [ValueFormat.Field]) -> Bool {
    isInline || members.contains { $0.words.contains(name) }
  }

  /// The words with bits that this field depends on.
  var words: [String] {
    var words = [narrow?.wideBit.word, other?.bit.word].compactMap { $0 }
    if case .bit(let bit, _) = condition { words.append(bit.word) }
    return words
  }
}
