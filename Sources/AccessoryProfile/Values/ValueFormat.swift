import BLECore

/// What the octets of a value mean, and so how it looks as a `ProfileValue`.
public indirect enum ValueFormat: Hashable, Sendable {
  /// Octets without a meaning: `{"hex": "0102"}`.
  case octets
  /// UTF-8 text: a string.
  case text
  /// One octet, 0 or 1: true or false.
  case boolean
  /// A UUID, least significant octet first: a string.
  case uuid
  /// A little-endian integer: a number.
  case integer(IntegerFormat)
  /// One octet that has names: a string, or a number where it has none.
  case named([NamedNumber])
  /// One octet whose bits have names: an array of strings.
  case flags([NamedNumber])
  /// Values of one format, one behind the other up to the end: an array.
  case list(ValueFormat)
  /// Year, month, day, hours, minutes, seconds: a string such as `2024-02-29T23:59:58`.
  case dateTime
  /// A time zone in steps of 15 minutes: a string such as `+01:00`, or `unknown`.
  case timeZone
  /// Fields, one behind the other: an object.
  case structure([Field])
  /// Current Time (2A2B): a structure whose day of the week follows from its date where it is not given.
  case currentTime
  /// Heart Rate Measurement (2A37): an object whose fields decide about flags and widths.
  case heartRateMeasurement

  /// A number with a name in kebab case.
  public struct NamedNumber: Hashable, Sendable {
    public var name: String
    public var value: UInt8

    /// That name for that number.
    public init(_ name: String, _ value: UInt8) {
      self.name = name
      self.value = value
    }
  }

  /// A field of a structure.
  public struct Field: Hashable, Sendable {
    /// The name in profiles and in JSON.
    public var name: String
    /// What its octets mean.
    public var format: ValueFormat
    /// The value that it has when none is given; nil when one must be given.
    public var defaultValue: ProfileValue?

    /// A field.
    public init(_ name: String, _ format: ValueFormat, defaultValue: ProfileValue? = nil) {
      self.name = name
      self.format = format
      self.defaultValue = defaultValue
    }
  }

  /// The fields of an object; nil for formats that are not objects.
  public var fields: [Field]? {
    switch self {
    case .structure(let fields): fields
    case .currentTime: AssignedFormats.currentTimeFields
    case .heartRateMeasurement: HeartRateMeasurement.fields
    default: nil
    }
  }
}

/// A little-endian integer.
public struct IntegerFormat: Hashable, Sendable {
  /// How many octets, 1...8.
  public var octets: Int
  /// Whether it is in two's complement.
  public var isSigned: Bool
  /// How many decimal places the number has: 2 when the octets count hundredths.
  public var decimals: Int

  /// An integer of that width.
  public init(octets: Int, isSigned: Bool = false, decimals: Int = 0) {
    self.octets = octets
    self.isSigned = isSigned
    self.decimals = decimals
  }

  /// The names of the formats in profiles.
  static let names = ["u8", "u16", "u24", "u32", "u40", "u48", "u64", "i8", "i16", "i24", "i32", "i48", "i64"]

  /// The format with a name such as `u16`.
  init?(named name: String) {
    guard Self.names.contains(name), let bits = Int(name.dropFirst()) else { return nil }
    self.init(octets: bits / 8, isSigned: name.hasPrefix("i"))
  }

  /// The name in profiles.
  var name: String { "\(isSigned ? "i" : "u")\(octets * 8)" }

  /// How much the octets count for one.
  var scale: Double { (0..<decimals).reduce(1.0) { scale, _ in scale * 10 } }

  /// The smallest and the largest number of the octets, before decimal places.
  var range: ClosedRange<Double> {
    let size = (0..<(octets * 8)).reduce(1.0) { size, _ in size * 2 }
    return isSigned ? (-size / 2)...(size / 2 - 1) : 0...(size - 1)
  }

  /// The number that fits and is nearest.
  func clamp(_ value: Double) -> Double {
    min(max(value, range.lowerBound / scale), range.upperBound / scale)
  }
}
