extension ValueFormat {
  /// A field of a structure.
  public struct Field: Hashable, Sendable {
    /// The name in profiles and in JSON.
    public var name: String
    /// What its octets mean.
    public var format: ValueFormat
    /// The value that it has when none is given; nil when one must be given, unless a bit says whether it is there.
    public var defaultValue: ProfileValue?
    /// The bit that says whether the field is there; nil where it always is.
    public var condition: Condition?
    /// The narrower format that it has when its number fits, and the bit that is set when it does not.
    public var narrow: Narrow?
    /// Another format, and the bit of a word that says when the field has it: another unit of the same number.
    public var other: Other?
    /// What the field follows from when no value is given for it.
    public var derivation: Derivation?
    /// Where it stands for a part of the time of day, which part.
    public var clockPart: ClockPart?
    /// A generated value is in the first of so many values that are sent.
    public var sampleInterval = 1
    /// Whether the fields of a word of bits stand beside the word's neighbours, and not in an object of their own.
    public var isInline = false

    /// A field.
    public init(_ name: String, _ format: ValueFormat, defaultValue: ProfileValue? = nil) {
      self.name = name
      self.format = format
      self.defaultValue = defaultValue
    }
  }

  /// One bit of a word of bits in the same structure.
  public struct Bit: Hashable, Sendable, CustomStringConvertible {
    /// The field that is the word.
    public var word: String
    /// The name of the bit in it.
    public var name: String

    /// What a profile writes for it.
    public var description: String { "\(word).\(name)" }
  }

  /// When a field is there.
  public enum Condition: Hashable, Sendable {
    /// When a bit is set, or when it is not.
    case bit(Bit, isInverted: Bool)
    /// When octets are left for it; only the last field.
    case rest
  }

  /// Another width of a field.
  public struct Narrow: Hashable, Sendable {
    /// The format of numbers that fit it.
    public var format: ValueFormat
    /// The bit that is set when they do not.
    public var wideBit: Bit
  }

  /// Another format of a field.
  public struct Other: Hashable, Sendable {
    /// The format when the bit is set.
    public var format: ValueFormat
    /// The bit, which is a field of the value itself.
    public var bit: Bit
  }

  /// What a field follows from.
  public enum Derivation: Hashable, Sendable {
    /// The day of the week of another field's time: 1 for Monday, 7 for Sunday, 0 when it is not known.
    case weekday(String)
    /// The octets of the whole structure. It is no part of the value.
    case size
  }

  /// A part of the time of day.
  public enum ClockPart: String, Hashable, Sendable, CaseIterable {
    case time, fractions, adjust, zone
    case daylightSaving = "daylight-saving"
  }
}

extension ValueFormat.Field {
  /// Whether values need not say it.
  var canBeLeftOut: Bool { defaultValue != nil || condition != nil || derivation != nil }

  /// The format that it has beside these values of other fields.
  func format(beside value: (String) -> ProfileValue?, _ fields: [ValueFormat.Field]) -> ValueFormat {
    guard let other, let flag = fields.first(where: { $0.name == other.bit.name }), let value = value(flag.name),
      let raw = try? flag.format.raw(value), raw != 0
    else { return format }
    return other.format
  }

  /// The octets of a value for itself, in whichever of its formats it fits.
  func encode(_ value: ProfileValue) throws(ProfileValueError) -> [UInt8] {
    do {
      return try format.encode(value)
    } catch {
      if let octets = try? other?.format.encode(value) { return octets }
      throw error.inside(name)
    }
  }
}
