import BLECore

/// What an expression gives: a value with its type.
enum ExpressionValue: Hashable, Sendable {
  case boolean(Bool)
  /// A whole number; arithmetic on whole numbers wraps around.
  case whole(Int64)
  case real(Double)
  case text(String)
  case octets([UInt8])
  case list([ExpressionValue])
  case fields([String: ExpressionValue])
  /// There is no value, as of a field that is not given.
  case nothing

  /// Octets and texts are no longer: as long as the images of firmware that an accessory may have to take.
  static let longest = 1_048_576

  /// The value of a characteristic, a field or a parameter.
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

  /// The value as a profile has it.
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

  /// What it is, for messages.
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

  // MARK: What operators want

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

  /// The octets of octets, of a text in UTF-8, or of a number that is one octet.
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

  /// Whether both are the same; a whole number can be the same as one with a fraction.
  func equals(_ other: ExpressionValue) -> Bool {
    switch (self, other) {
    case (.whole(let left), .real(let right)), (.real(let right), .whole(let left)): Double(left) == right
    default: self == other
    }
  }
}

/// Why an expression gives no value.
struct ExpressionError: Error, Hashable, Sendable, CustomStringConvertible {
  /// What and why.
  var reason: String
  /// Where in the text, in Unicode scalars from 0; nil for errors that only its evaluation finds.
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
