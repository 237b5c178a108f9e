/// Bit fields within one integer, starting with the least significant bits.
public struct BitsFormat: Hashable, Sendable {
  /// The integer.
  public var word: ValueFormat.Word
  /// The fields, in order. Those without a name are reserved.
  public var members: [Member]

  /// A bit field.
  public struct Member: Hashable, Sendable {
    /// The name; empty for reserved bits, which are zero.
    public var name: String
    /// The format of the bits, which is an integer format.
    public var format: ValueFormat
    /// The position of its least significant bit.
    public var shift: Int
    /// The value if none is given.
    public var defaultValue: ProfileValue

    /// Creates a field at a position. Its default value is zero, unless another one is given.
    public init(_ name: String, _ format: ValueFormat, shift: Int, defaultValue: ProfileValue? = nil) {
      self.name = name
      self.format = format
      self.shift = shift
      self.defaultValue = defaultValue ?? format.value(raw: 0) ?? .int(0)
    }

    var mask: UInt64 { (format.word ?? .octet).greatest }
  }

  /// Creates a format from its fields and the integer.
  public init(_ members: [Member], word: ValueFormat.Word) {
    self.members = members
    self.word = word
  }

  /// The fields that values show.
  var fields: [ValueFormat.Field] { members.filter { !$0.name.isEmpty }.map(\.field) }

  /// The bits that belong to a named field.
  var assigned: UInt64 {
    members.reduce(0) { bits, member in member.name.isEmpty ? bits : bits | member.mask << UInt64(member.shift) }
  }

  func raw(_ value: ProfileValue) throws(ProfileValueError) -> UInt64 {
    let given = try ValueFormat.object(value, fields)
    var bits: UInt64 = 0
    for member in members where !member.name.isEmpty {
      bits |= try member.bits(given[member.name] ?? .null)
    }
    return bits
  }

  func value(raw: UInt64) -> ProfileValue? {
    guard raw & ~assigned == 0 else { return nil }
    var values: [String: ProfileValue] = [:]
    for member in members where !member.name.isEmpty {
      guard let value = member.value(in: raw) else { return nil }
      values[member.name] = value
    }
    return .object(values)
  }
}

extension BitsFormat.Member {
  var field: ValueFormat.Field { .init(name, format, defaultValue: defaultValue) }

  /// Returns the bits of a value at the field's position.
  func bits(_ value: ProfileValue) throws(ProfileValueError) -> UInt64 {
    do {
      return try format.raw(value.isNull ? defaultValue : value) << UInt64(shift)
    } catch {
      throw error.inside(name)
    }
  }

  /// Returns the value of the bits at the field's position.
  func value(in word: UInt64) -> ProfileValue? { format.value(raw: word >> UInt64(shift) & mask) }
}
