/// Access to parts of a value, and literals in code: `event["value"]?["rate"]?.int`, `["rate": 72]`.
extension ProfileValue {
  /// A field of an object; nil for anything else, or if there is no such field.
  public subscript(field: String) -> ProfileValue? {
    guard case .object(let fields) = self else { return nil }
    return fields[field]
  }

  /// An element of an array, counted from 0; nil for anything else, or if there is no such element.
  public subscript(index: Int) -> ProfileValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text; nil if it is not text.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The whole number; nil if it is not one that fits in an `Int`.
  public var int: Int? {
    switch self {
    case .int(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The Boolean value; nil if it is not one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// Whether the value is null.
  var isNull: Bool { if case .null = self { true } else { false } }

  /// Returns whether the value matches `wanted`: every field of an object, each element of an array, and anything else exactly. Numbers
  /// match if they are equal, and null matches a missing field.
  package func includes(_ wanted: ProfileValue) -> Bool {
    switch (self, wanted) {
    case (.object(let fields), .object(let wanted)):
      wanted.allSatisfy { name, value in fields[name].map { $0.includes(value) } ?? (value == .null) }
    case (.array(let elements), .array(let wanted)):
      elements.count == wanted.count && zip(elements, wanted).allSatisfy { $0.includes($1) }
    default: self == wanted || (number != nil && number == wanted.number)
    }
  }

  /// Returns the object without one of its fields.
  package func without(_ field: String) -> ProfileValue {
    guard case .object(var fields) = self else { return self }
    fields[field] = nil
    return .object(fields)
  }
}

extension ProfileValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// Creates a text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// Creates a whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }

  /// Creates a number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// Creates a Boolean value.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// Creates an array.
  public init(arrayLiteral elements: ProfileValue...) { self = .array(elements) }

  /// Creates an object. Of duplicate names, the last one is used.
  public init(dictionaryLiteral elements: (String, ProfileValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}
