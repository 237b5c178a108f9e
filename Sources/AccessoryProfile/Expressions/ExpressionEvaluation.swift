import BLECore

/// Provides the values of the names in an expression.
protocol ExpressionEnvironment {
  /// Returns the present value of a name.
  func value(of reference: Expression.Reference) throws(ExpressionError) -> ExpressionValue
  /// Returns the octets of a name's value.
  func octets(of reference: Expression.Reference) throws(ExpressionError) -> [UInt8]
  /// Returns whether a client is subscribed to it.
  func isSubscribed(_ reference: Expression.Reference) throws(ExpressionError) -> Bool
  /// Returns a random number.
  mutating func random() -> UInt64
}

extension Expression {
  /// Evaluates the expression.
  func evaluate(in environment: inout some ExpressionEnvironment) throws(ExpressionError) -> ExpressionValue {
    try ExpressionEvaluation.value(root, &environment)
  }
}

/// Evaluates each kind of node.
private enum ExpressionEvaluation {
  static func value(
    _ node: Expression.Node, _ environment: inout some ExpressionEnvironment
  ) throws(ExpressionError) -> ExpressionValue {
    switch node {
    case .literal(let value): return value
    case .reference(let reference): return try environment.value(of: reference)
    case .name(let name, _): throw ExpressionError("'\(name)' is not known")
    case .member(let base, let field): return try member(field, of: value(base, &environment))
    case .element(let base, let index):
      let whole = try value(base, &environment)
      return try element(of: whole, try value(index, &environment).whole())
    case .slice(let base, let from, let to):
      let octets = try value(base, &environment).octets()
      let first = try from.map { node throws(ExpressionError) in try value(node, &environment).whole() }
      let last = try to.map { node throws(ExpressionError) in try value(node, &environment).whole() }
      return .octets(slice(octets, first ?? 0, last ?? Int64(octets.count)))
    case .prefix(let sign, let operand): return try prefixed(sign, value(operand, &environment))
    case .infix(let sign, let left, let right): return try infix(sign, left, right, &environment)
    case .call(let function, let arguments): return try call(function, arguments, &environment)
    }
  }

  // MARK: Parts of values

  private static func member(_ field: String, of value: ExpressionValue) throws(ExpressionError) -> ExpressionValue {
    if value == .nothing { return .nothing }
    guard case .fields(let fields) = value else { throw .wanted("a value with the field '\(field)'", value) }
    return fields[field] ?? .nothing
  }

  private static func element(of value: ExpressionValue, _ index: Int64) throws(ExpressionError) -> ExpressionValue {
    if case .list(let members) = value { return place(index, members.count).map { members[$0] } ?? .nothing }
    let octets = try value.octets()
    return place(index, octets.count).map { .whole(Int64(octets[$0])) } ?? .nothing
  }

  /// Returns the position of an index, where a negative index counts from the end; nil if it is out of range.
  private static func place(_ index: Int64, _ count: Int) -> Int? {
    let place = index < 0 ? index &+ Int64(count) : index
    return (0..<Int64(count)).contains(place) ? Int(place) : nil
  }

  /// Returns the octets between two positions, without those out of range.
  private static func slice(_ octets: [UInt8], _ from: Int64, _ to: Int64) -> [UInt8] {
    let count = Int64(octets.count)
    func bound(_ index: Int64) -> Int { Int(min(max(index < 0 ? index &+ count : index, 0), count)) }
    let (first, last) = (bound(from), bound(to))
    return first < last ? Array(octets[first..<last]) : []
  }

  // MARK: Operators

  private static func prefixed(
    _ sign: Expression.Prefix, _ value: ExpressionValue
  ) throws(ExpressionError) -> ExpressionValue {
    switch (sign, value) {
    case (.not, _): return .boolean(try !value.boolean())
    case (.complement, _): return .whole(~(try value.whole()))
    case (.minus, .whole(let number)): return .whole(0 &- number)
    case (.minus, _): return .real(-(try value.number()))
    }
  }

  private static func infix(
    _ sign: Expression.Infix, _ left: Expression.Node, _ right: Expression.Node,
    _ environment: inout some ExpressionEnvironment
  ) throws(ExpressionError) -> ExpressionValue {
    let first = try value(left, &environment)
    switch sign {
    case .and: return try first.boolean() ? .boolean(value(right, &environment).boolean()) : .boolean(false)
    case .or: return try first.boolean() ? .boolean(true) : .boolean(value(right, &environment).boolean())
    default: break
    }
    let second = try value(right, &environment)
    switch sign {
    case .equal: return .boolean(first.equals(second))
    case .unequal: return .boolean(!first.equals(second))
    case .less, .atMost, .greater, .atLeast: return .boolean(try compare(sign, first, second))
    case .join:
      let octets = try first.octets() + second.octets()
      guard octets.count <= ExpressionValue.longest else {
        throw ExpressionError("the result would exceed \(ExpressionValue.longest) octets")
      }
      return .octets(octets)
    default: return try arithmetic(sign, first, second)
    }
  }

  private static func compare(
    _ sign: Expression.Infix, _ left: ExpressionValue, _ right: ExpressionValue
  ) throws(ExpressionError) -> Bool {
    if case (.whole(let first), .whole(let second)) = (left, right) { return ordered(sign, first, second) }
    return ordered(sign, try left.number(), try right.number())
  }

  private static func ordered<Number: Comparable>(_ sign: Expression.Infix, _ left: Number, _ right: Number) -> Bool {
    switch sign {
    case .less: left < right
    case .atMost: left <= right
    case .greater: left > right
    default: left >= right
    }
  }

  private static func arithmetic(
    _ sign: Expression.Infix, _ left: ExpressionValue, _ right: ExpressionValue
  ) throws(ExpressionError) -> ExpressionValue {
    switch sign {
    case .bitOr: return .whole(try left.whole() | right.whole())
    case .bitXor: return .whole(try left.whole() ^ right.whole())
    case .bitAnd: return .whole(try left.whole() & right.whole())
    case .shiftLeft: return .whole(try left.whole() << right.whole())
    case .shiftRight: return .whole(try left.whole() >> right.whole())
    default: break
    }
    guard case (.whole(let first), .whole(let second)) = (left, right) else {
      return .real(real(sign, try left.number(), try right.number()))
    }
    switch sign {
    case .plus: return .whole(first &+ second)
    case .minus: return .whole(first &- second)
    case .times: return .whole(first &* second)
    case .divided: return .whole(second == 0 ? 0 : first.dividedReportingOverflow(by: second).partialValue)
    default: return .whole(second == 0 ? 0 : first.remainderReportingOverflow(dividingBy: second).partialValue)
    }
  }

  private static func real(_ sign: Expression.Infix, _ left: Double, _ right: Double) -> Double {
    switch sign {
    case .plus: left + right
    case .minus: left - right
    case .times: left * right
    // As for whole numbers.
    case .divided: right == 0 ? 0 : left / right
    default: right == 0 ? 0 : left.truncatingRemainder(dividingBy: right)
    }
  }

  // MARK: Functions

  private static func call(
    _ function: Expression.Function, _ arguments: [Expression.Node],
    _ environment: inout some ExpressionEnvironment
  ) throws(ExpressionError) -> ExpressionValue {
    switch (function, arguments.first) {
    case (.if, _):
      let isTrue = try value(arguments[0], &environment).boolean()
      return try value(arguments[isTrue ? 1 : 2], &environment)
    case (.octets, .reference(let reference)?): return .octets(try environment.octets(of: reference))
    case (.subscribed, .reference(let reference)?): return .boolean(try environment.isSubscribed(reference))
    case (.subscribed, _): throw ExpressionError("'subscribed' expects the id of a characteristic")
    default: break
    }
    var values: [ExpressionValue] = []
    for argument in arguments { values.append(try value(argument, &environment)) }
    if function == .random { return try random(values, &environment) }
    return try ExpressionFunctions.apply(function, values)
  }

  private static func random(
    _ arguments: [ExpressionValue], _ environment: inout some ExpressionEnvironment
  ) throws(ExpressionError) -> ExpressionValue {
    let first = try arguments[0].whole()
    guard arguments.count == 2 else {
      guard (0...512).contains(first) else {
        throw ExpressionError("random returns 0 to 512 octets, not \(first)")
      }
      return .octets((0..<first).map { _ in UInt8(truncatingIfNeeded: environment.random() >> 32) })
    }
    let last = try arguments[1].whole()
    guard first <= last else {
      throw ExpressionError("the smallest number, \(first), is greater than the largest, \(last)")
    }
    let width = UInt64(bitPattern: last &- first)
    let number = width == .max ? environment.random() : environment.random().multipliedFullWidth(by: width + 1).high
    return .whole(first &+ Int64(bitPattern: number))
  }
}
