extension ValueFormat {
  /// A field of a struct.
  public struct Field: Hashable, Sendable {
    /// The name in profiles and in JSON.
    public var name: String
    /// The format of the field.
    public var format: ValueFormat
    /// The value if none is given; nil if a value is required, unless a bit controls the presence of the field.
    public var defaultValue: ProfileValue?
    /// The condition for the presence of the field; nil if it is always present.
    public var condition: Condition?
    /// The narrower format for numbers that fit it, and the bit that is set if the number does not fit.
    public var narrow: Narrow?
    /// Another format for the same number in another unit, and the bit that selects it.
    public var other: Other?
    /// The derivation of the field if no value is given.
    public var derivation: Derivation?
    /// The part of the time of day that the field contains; nil for none.
    public var clockPart: ClockPart?
    /// The interval, in values sent, at which a generated value contains the field.
    public var sampleInterval = 1
    /// Whether the fields of a word of bits appear next to the word's neighbors, instead of in an object of their own.
    public var isInline = false

    /// Creates a field.
    public init(_ name: String, _ format: ValueFormat, defaultValue: ProfileValue? = nil) {
      self.name = name
      self.format = format
      self.defaultValue = defaultValue
    }
  }

  /// One bit of a word of bits in the same struct.
  public struct Bit: Hashable, Sendable, CustomStringConvertible {
    /// The field that is the word.
    public var word: String
    /// The name of the bit in the word.
    public var name: String

    /// The notation in profiles.
    public var description: String { "\(word).\(name)" }
  }

  /// The condition for the presence of a field.
  public enum Condition: Hashable, Sendable {
    /// A bit is set, or is not set.
    case bit(Bit, isInverted: Bool)
    /// Octets are left. Only for the last field.
    case rest
  }

  /// A narrower format of a field.
  public struct Narrow: Hashable, Sendable {
    /// The format of numbers that fit it.
    public var format: ValueFormat
    /// The bit that is set if the number does not fit.
    public var wideBit: Bit
  }

  /// Another format of a field.
  public struct Other: Hashable, Sendable {
    /// The format if the bit is set.
    public var format: ValueFormat
    /// The bit, which is itself a field of the value.
    public var bit: Bit
  }

  /// The derivation of a field.
  public enum Derivation: Hashable, Sendable {
    /// The day of the week of another field's time: 1 for Monday, 7 for Sunday, 0 if it is unknown.
    case weekday(String)
    /// The size of the whole struct in octets. It is not part of the value.
    case size
  }

  /// A part of the time of day.
  public enum ClockPart: String, Hashable, Sendable, CaseIterable {
    case time, fractions, adjust, zone
    case daylightSaving = "daylight-saving"
  }
}

extension ValueFormat.Field {
  /// Whether values may omit the field.
  var canBeLeftOut: Bool { defaultValue != nil || condition != nil || derivation != nil }

  /// Returns the format for the given values of other fields.
  func format(beside value: (String) -> ProfileValue?, _ fields: [ValueFormat.Field]) -> ValueFormat {
    guard let other, let flag = fields.first(where: { $0.name == other.bit.name }), let value = value(flag.name),
      let raw = try? flag.format.raw(value), raw != 0
    else { return format }
    return other.format
  }

  /// Encodes a value on its own, in the first of the field's formats that it fits.
  func encode(_ value: ProfileValue) throws(ProfileValueError) -> [UInt8] {
    do {
      return try format.encode(value)
    } catch {
      if let octets = try? other?.format.encode(value) { return octets }
      throw error.inside(name)
    }
  }
}
