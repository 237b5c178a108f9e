import BLECore

/// The meaning of a value's octets, which determines its `ProfileValue`.
public indirect enum ValueFormat: Hashable, Sendable {
  /// Octets without a meaning: `{"hex": "0102"}`.
  case hex(Extent)
  /// UTF-8 text: a string.
  case utf8(Extent)
  /// A UUID, least significant octet first: a string.
  case uuid
  /// One bit of a word, or one octet: true or false.
  case boolean
  /// An integer: a number, or the name of a special value.
  case integer(IntegerFormat)
  /// An IEEE 11073-20601 SFLOAT or FLOAT: a number, or `nan`, `nres`, `inf`, `-inf`, `reserved`.
  case medical(MedicalFloat)
  /// An IEEE 754 number: a number, or `nan`, `inf`, `-inf`.
  case floating(Word)
  /// An integer whose values have names: a string, or a number for values without a name.
  case named([NamedNumber], Word = .octet)
  /// An integer whose bits have names: an array of strings.
  case flags([NamedNumber], Word = .octet)
  /// Year, month, day, hours, minutes, seconds in seven octets: a string such as `2024-02-29T23:59:58`, or `unknown`.
  case dateTime
  /// A time zone in steps of 15 minutes: a string such as `+01:00`, or `unknown`.
  case timeZone
  /// Bit fields within one integer: an object.
  case bits(BitsFormat)
  /// Consecutive values of one format: an array.
  case list(ValueFormat, Extent = .rest)
  /// Consecutive fields: an object.
  case structure(StructFormat)

  /// All remaining octets.
  public static let octets = ValueFormat.hex(.rest)
  /// All remaining text.
  public static let text = ValueFormat.utf8(.rest)

  /// The extent of octets, a text or a list.
  public enum Extent: Hashable, Sendable {
    /// Up to the end of the value.
    case rest
    /// This number of octets or members. A shorter text is padded with zeros.
    case fixed(Int)
    /// The number of octets or members in a little-endian integer of this many octets in front of them.
    case counted(octets: Int)
    /// Up to an octet 0. Only for text.
    case terminated
  }

  /// An integer in which something is encoded.
  public struct Word: Hashable, Sendable {
    /// The number of bits, 1...64. Unless it is part of another integer, it takes whole octets.
    public var bits: Int
    /// Whether the most significant octet comes first.
    public var isBigEndian: Bool

    /// Creates an integer of that width.
    public init(bits: Int, isBigEndian: Bool = false) {
      self.bits = bits
      self.isBigEndian = isBigEndian
    }

    /// One octet.
    public static let octet = Word(bits: 8)

    /// The size in octets.
    public var octets: Int { (bits + 7) / 8 }

    /// The largest number that fits.
    var greatest: UInt64 { .max >> UInt64(64 - bits) }
  }

  /// A number with a name in kebab case.
  public struct NamedNumber: Hashable, Sendable {
    /// Its name in profiles.
    public var name: String
    /// Its number in the encoding.
    public var value: UInt64

    /// Creates a named number.
    public init(_ name: String, _ value: UInt64) {
      self.name = name
      self.value = value
    }
  }

  /// The fields of an object; nil for formats that are not objects.
  public var fields: [Field]? {
    switch self {
    case .structure(let format): format.fields
    case .bits(let format): format.fields
    default: nil
    }
  }

  /// The size of every value in octets; nil if it varies.
  package var fixedSize: Int? {
    switch self {
    case .hex(.fixed(let size)), .utf8(.fixed(let size)): size
    case .hex, .utf8, .uuid: nil
    case .dateTime: 7
    case .list(let member, .fixed(let count)): member.fixedSize.map { $0 * count }
    case .list: nil
    case .structure(let format): format.fixedSize
    default: word?.octets
    }
  }

  /// Whether the octets determine where the value ends.
  var isSelfDelimiting: Bool {
    switch self {
    case .hex(let extent), .utf8(let extent): extent != .rest
    case .uuid: false
    case .list(let member, let extent): extent != .rest && member.isSelfDelimiting
    case .structure(let format): format.isSelfDelimiting
    default: true
    }
  }

  /// Whether a value can have no octets.
  var canBeEmpty: Bool {
    switch self {
    case .hex(let extent), .utf8(let extent), .list(_, let extent): extent == .rest || extent == .fixed(0)
    case .structure(let format): format.canBeEmpty
    default: false
    }
  }

  /// Whether the format can hold generated numbers.
  var isNumeric: Bool {
    switch self {
    case .integer, .medical, .floating, .named: true
    default: false
    }
  }
}
