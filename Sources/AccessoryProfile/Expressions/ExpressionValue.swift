import BLECore

/// A typed value in expressions.
enum ExpressionValue: Hashable, Sendable {
  case boolean(Bool)
  /// A whole number. Arithmetic on whole numbers wraps around.
  case whole(Int64)
  case real(Double)
  case text(String)
  case octets([UInt8])
  case list([ExpressionValue])
  case fields([String: ExpressionValue])
  /// No value, for example of a field that is not present.
  case nothing

  /// The maximum length of octets and texts, which is enough for the firmware images that an accessory may have to receive.
  static let longest = 1_048_576

  /// Converts the value of a characteristic, a field or a parameter.
  init(_ value: ProfileValue) {
    if let octets = value.octets {
      self = .octets(octets)
      return
    }
    self =
      switch value {
      case .null: .nothing
      case .bool(let flag): .boolean(flag)
      case .int(let number): .whole(number)
      case .unsigned(let number): .real(Double(number))
      case .double(let number): .real(number)
      case .string(let text): .text(text)
      case .array(let members): .list(members.map { ExpressionValue($0) })
      case .object(let fields): .fields(fields.mapValues { ExpressionValue($0) })
      }
  }

  /// The value in the type used by profiles.
  var profileValue: ProfileValue {
    switch self {
    case .boolean(let flag): .bool(flag)
    case .whole(let number): .int(number)
    case .real(let number): .double(number)
    case .text(let text): .string(text)
    case .octets(let octets): .octets(octets)
    case .list(let members): .array(members.map(\.profileValue))
    case .fields(let fields): .object(fields.mapValues(\.profileValue))
    case .nothing: .null
    }
  }

  /// A description of the value, for messages.
  var kind: String {
    switch self {
    case .boolean(let flag): "\(flag)"
    case .whole(let number): "the number \(number)"
    case .real(let number): "the number \(number)"
    case .text: "text"
    case .octets: "octets"
    case .list: "a list"
    case .fields: "a value with fields"
    case .nothing: "nothing"
    }
  }

  // MARK: Conversions for operators

  func boolean() throws(ExpressionError) -> Bool {
    guard case .boolean(let flag) = self else { throw .wanted("true or false", self) }
    return flag
  }

  func number() throws(ExpressionError) -> Double {
    switch self {
    case .whole(let number): return Double(number)
    case .real(let number): return number
    default: throw .wanted("a number", self)
    }
  }

  func whole() throws(ExpressionError) -> Int64 {
    switch self {
    case .whole(let number): return number
    case .real(let number): return Int64(clamping: number)
    default: throw .wanted("a whole number", self)
    }
  }

  /// Returns octets, a text in UTF-8, or a number as one octet.
  func octets() throws(ExpressionError) -> [UInt8] {
    switch self {
    case .octets(let octets): return octets
    case .text(let text): return Array(text.utf8)
    case .whole(let number):
      guard let octet = UInt8(exactly: number) else {
        throw ExpressionError("\(number) does not fit into one octet; use u16(\(number)) or a wider function")
      }
      return [octet]
    default: throw .wanted("octets", self)
    }
  }

  /// Returns whether two values are equal. A whole number can equal a real one.
  func equals(_ other: ExpressionValue) -> Bool {
    switch (self, other) {
    case (.whole(let left), .real(let right)), (.real(let right), .whole(let left)): Double(left) == right
    default: self == other
    }
  }
}

/// The reason why an expression has no value.
struct ExpressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The problem and its reason.
  var reason: String
  /// The position in the text, in Unicode scalars from 0; nil for errors that occur only during evaluation.
  var offset: Int?

  init(_ reason: String, at offset: Int? = nil) {
    self.reason = reason
    self.offset = offset
  }

  var description: String { reason }

  static func wanted(_ what: String, _ value: ExpressionValue) -> ExpressionError {
    ExpressionError("expected \(what), not \(value.kind)")
  }
}
