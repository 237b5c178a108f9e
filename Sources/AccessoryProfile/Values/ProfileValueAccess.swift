/// What is inside of a value, and values written in code: `event["value"]?["rate"]?.int`, `["rate": 72]`.
extension ProfileValue {
  /// A field of an object; nil for anything else, and where there is none of that name.
  public subscript(field: String) -> ProfileValue? {
    guard case .object(let fields) = self else { return nil }
    return fields[field]
  }

  /// An element of an array, from 0; nil for anything else, and where there is none.
  public subscript(index: Int) -> ProfileValue? {
    guard case .array(let elements) = self, elements.indices.contains(index) else { return nil }
    return elements[index]
  }

  /// The text, where it is one.
  public var string: String? { if case .string(let text) = self { text } else { nil } }

  /// The whole number, where it is one that an `Int` holds.
  public var int: Int? {
    switch self {
    case .int(let number): Int(exactly: number)
    case .double(let number): Int(exactly: number)
    default: nil
    }
  }

  /// The truth, where it is one.
  public var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  /// Whether it is nothing.
  var isNull: Bool { if case .null = self { true } else { false } }

  /// Whether it has all that `wanted` has: of an object every field, of an array each element, of anything else the same value.
  /// Whole numbers equal others of the same value, and null a field that is not there.
  package func includes(_ wanted: ProfileValue) -> Bool {
    switch (self, wanted) {
    case (.object(let fields), .object(let wanted)):
      wanted.allSatisfy { name, value in fields[name].map { $0.includes(value) } ?? (value == .null) }
    case (.array(let elements), .array(let wanted)):
      elements.count == wanted.count && zip(elements, wanted).allSatisfy { $0.includes($1) }
    default: self == wanted || (number != nil && number == wanted.number)
    }
  }

  /// An object without one of its fields.
  package func without(_ field: String) -> ProfileValue {
    guard case .object(var fields) = self else { return self }
    fields[field] = nil
    return .object(fields)
  }
}

extension ProfileValue: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByFloatLiteral,
  ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
  /// A text.
  public init(stringLiteral value: String) { self = .string(value) }

  /// A whole number.
  public init(integerLiteral value: Int64) { self = .int(value) }

  /// A number.
  public init(floatLiteral value: Double) { self = .double(value) }

  /// A truth.
  public init(booleanLiteral value: Bool) { self = .bool(value) }

  /// An array.
  public init(arrayLiteral elements: ProfileValue...) { self = .array(elements) }

  /// An object; of equal names the last one holds.
  public init(dictionaryLiteral elements: (String, ProfileValue)...) {
    self = .object(Dictionary(elements) { $1 })
  }
}
