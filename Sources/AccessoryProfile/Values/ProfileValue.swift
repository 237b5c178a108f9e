import BLECore

/// A typed value as in JSON. The control API uses it for the values of characteristics.
///
/// Octets without a meaning are the object `{"hex": "0102"}`, which every characteristic accepts.
public enum ProfileValue: Hashable, Sendable {
  case null
  case bool(Bool)
  case int(Int64)
  /// A whole number above `Int64.max`. Smaller ones are `int`, so that equal numbers are equal values.
  case unsigned(UInt64)
  case double(Double)
  case string(String)
  case array([ProfileValue])
  case object([String: ProfileValue])

  /// Creates a whole number.
  public static func whole(_ number: UInt64) -> ProfileValue {
    Int64(exactly: number).map { .int($0) } ?? .unsigned(number)
  }

  /// Returns a number, as an integer if it is whole.
  static func number(_ number: Double) -> ProfileValue {
    Int64(exactly: number).map { .int($0) } ?? .double(number)
  }

  /// Creates a value from octets.
  public static func octets(_ octets: [UInt8]) -> ProfileValue { .object(["hex": .string(octets.hexadecimal)]) }

  /// The octets of `{"hex": …}`; nil for any other value.
  public var octets: [UInt8]? {
    guard case .object(let fields) = self, fields.count == 1, case .string(let digits) = fields["hex"] else {
      return nil
    }
    return [UInt8](hexadecimal: digits)
  }

  /// The value as a number; nil if it is not a number.
  public var number: Double? {
    switch self {
    case .int(let value): Double(value)
    case .unsigned(let value): Double(value)
    case .double(let value): value
    default: nil
    }
  }
}

extension ProfileValue {
  /// Returns whether both values are numbers, and this one is greater.
  func isNumber(above other: ProfileValue) -> Bool {
    switch (self, other) {
    case (.int(let left), .int(let right)): left > right
    case (.unsigned(let left), .unsigned(let right)): left > right
    default: number.flatMap { left in other.number.map { left > $0 } } ?? false
    }
  }
}

extension ProfileValue {
  /// The next whole number; nil if there is none, or if this is not a whole number.
  var successor: ProfileValue? {
    switch self {
    case .int(let number): number < 0 ? .int(number + 1) : .whole(UInt64(number) + 1)
    case .unsigned(let number): number < .max ? .unsigned(number + 1) : nil
    default: nil
    }
  }
}

extension ProfileValue: Codable {
  private struct FieldKey: CodingKey {
    var stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  /// Decodes any JSON value.
  public init(from decoder: any Decoder) throws {
    if let container = try? decoder.container(keyedBy: FieldKey.self) {
      var fields: [String: ProfileValue] = [:]
      for key in container.allKeys { fields[key.stringValue] = try container.decode(ProfileValue.self, forKey: key) }
      self = .object(fields)
    } else if var container = try? decoder.unkeyedContainer() {
      var elements: [ProfileValue] = []
      while !container.isAtEnd { elements.append(try container.decode(ProfileValue.self)) }
      self = .array(elements)
    } else {
      let container = try decoder.singleValueContainer()
      if container.decodeNil() {
        self = .null
      } else if let value = try? container.decode(Bool.self) {
        self = .bool(value)
      } else if let value = try? container.decode(Int64.self) {
        self = .int(value)
      } else if let value = try? container.decode(UInt64.self) {
        self = .whole(value)
      } else if let value = try? container.decode(Double.self) {
        self = .double(value)
      } else {
        self = .string(try container.decode(String.self))
      }
    }
  }

  /// Encodes the value as JSON.
  public func encode(to encoder: any Encoder) throws {
    switch self {
    case .object(let fields):
      var container = encoder.container(keyedBy: FieldKey.self)
      for (name, value) in fields { try container.encode(value, forKey: FieldKey(stringValue: name)) }
    case .array(let elements):
      var container = encoder.unkeyedContainer()
      for element in elements { try container.encode(element) }
    default:
      var container = encoder.singleValueContainer()
      switch self {
      case .bool(let value): try container.encode(value)
      case .int(let value): try container.encode(value)
      case .unsigned(let value): try container.encode(value)
      case .double(let value): try container.encode(value)
      case .string(let value): try container.encode(value)
      default: try container.encodeNil()
      }
    }
  }
}

extension ProfileValue: CustomStringConvertible {
  /// The value in a notation similar to JSON, with fields sorted by name.
  public var description: String {
    switch self {
    case .null: "null"
    case .bool(let value): "\(value)"
    case .int(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .double(let value): "\(value)"
    case .string(let value): "\"\(value)\""
    case .array(let elements): "[\(elements.map(\.description).joined(separator: ", "))]"
    case .object(let fields):
      "{\(fields.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", "))}"
    }
  }
}

/// The reason why a value is invalid for a characteristic.
public struct ProfileValueError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The path within the value, such as `cup.levels[2]`; empty for the value itself.
  public private(set) var path = ""
  /// The problem at that path.
  public let reason: String

  /// Creates an error with a message.
  public init(_ reason: String) { self.reason = reason }

  /// The path and the problem.
  public var message: String { path.isEmpty ? reason : "\(path): \(reason)" }

  /// The message.
  public var description: String { message }

  /// Returns whether both errors have the same message.
  public static func == (left: ProfileValueError, right: ProfileValueError) -> Bool { left.message == right.message }
  /// Hashes the message.
  public func hash(into hasher: inout Hasher) { hasher.combine(message) }

  /// Returns the error for the value whose field has this error.
  func inside(_ field: String) -> ProfileValueError {
    var error = self
    error.path = path.isEmpty || path.hasPrefix("[") ? field + path : "\(field).\(path)"
    return error
  }

  /// Returns the error for the list whose member has this error.
  func inside(_ index: Int) -> ProfileValueError {
    inside("[\(index)]")
  }
}
