import BLEGATT

/// A computation in a profile: arithmetic, comparisons, slices, checksums and encodings. It is total: every evaluation ends with a value or
/// an error, at a bounded cost.
public struct Expression: Hashable, Sendable {
  /// The source text.
  public let text: String
  let root: Node

  /// A part of an expression.
  indirect enum Node: Hashable, Sendable {
    case literal(ExpressionValue)
    case reference(Reference)
    /// An unresolved name, and its position in the text.
    case name(String, offset: Int)
    case member(Node, String)
    case element(Node, Node)
    case slice(Node, from: Node?, to: Node?)
    case prefix(Prefix, Node)
    case infix(Infix, Node, Node)
    case call(Function, [Node])
  }

  /// The meaning of a name.
  enum Reference: Hashable, Sendable {
    case characteristic(CharacteristicIndex)
    case variable(Int)
    /// A parameter of a control point's command.
    case parameter(String)
    case known(Known)
  }

  /// Predefined names, which the profile's own names override.
  enum Known: String, Hashable, Sendable, CaseIterable {
    /// The value that a client has written.
    case written
    /// The present value and the last value sent, for a threshold.
    case value, sent
    /// Seconds since the accessory's start, and since 1970.
    case time, now
    /// The approximate number of advertising events so far.
    case advertisements
    /// The number of connected clients, and the number of the client that is the subject.
    case connections, connection
    /// The ATT MTU of that client, or the smallest of all clients.
    case mtu
    /// The name of the current state.
    case state
    /// The number of times the value was sent, or the rule was executed.
    case counter
    /// No value. A field with this result is omitted.
    case none
  }

  enum Prefix: Hashable, Sendable { case minus, complement, not }

  enum Infix: String, Hashable, Sendable {
    case or, and
    case equal = "==", unequal = "!=", less = "<", atMost = "<=", greater = ">", atLeast = ">="
    case bitOr = "|", bitXor = "^", bitAnd = "&", shiftLeft = "<<", shiftRight = ">>"
    case join = "++", plus = "+", minus = "-", times = "*", divided = "/", remainder = "%"

    /// The precedence of the operator.
    var precedence: Int {
      switch self {
      case .or: 1
      case .and: 2
      case .equal, .unequal, .less, .atMost, .greater, .atLeast: 4
      case .join: 5
      case .bitOr: 6
      case .bitXor: 7
      case .bitAnd: 8
      case .shiftLeft, .shiftRight: 9
      case .plus, .minus: 10
      case .times, .divided, .remainder: 11
      }
    }
  }

  /// The maximum length of the text, and the maximum nesting depth.
  static let longestText = 4096
  static let deepest = 64
}

extension Expression {
  /// All references in the expression.
  var references: Set<Reference> {
    var found: Set<Reference> = []
    root.visit { if case .reference(let reference) = $0 { found.insert(reference) } }
    return found
  }

  /// Whether the result changes by itself over time.
  var dependsOnTime: Bool {
    var depends = false
    root.visit { node in
      switch node {
      case .reference(.known(.time)), .reference(.known(.now)), .reference(.known(.advertisements)), .call(.random, _):
        depends = true
      default: break
      }
    }
    return depends
  }

  /// The maximum number of nodes that an evaluation visits, apart from values that it refers to.
  var cost: Int {
    var count = 0
    root.visit { _ in count += 1 }
    return count
  }

  /// Returns the expression with its names resolved.
  func resolved(_ find: (String) -> Reference?) throws(ExpressionError) -> Expression {
    Expression(text: text, root: try root.resolved(find))
  }
}

extension Expression.Node {
  /// The direct children.
  private var parts: [Expression.Node] {
    switch self {
    case .literal, .reference, .name: []
    case .member(let base, _), .prefix(_, let base): [base]
    case .element(let base, let index): [base, index]
    case .slice(let base, let from, let to): [base] + [from, to].compactMap { $0 }
    case .infix(_, let left, let right): [left, right]
    case .call(_, let arguments): arguments
    }
  }

  func visit(_ body: (Expression.Node) -> Void) {
    body(self)
    for part in parts { part.visit(body) }
  }

  fileprivate func resolved(_ find: (String) -> Expression.Reference?) throws(ExpressionError) -> Expression.Node {
    switch self {
    case .literal, .reference: return self
    case .name(let name, let offset):
      guard let reference = find(name) else { throw ExpressionError(name, at: offset) }
      return .reference(reference)
    case .member(let base, let field): return .member(try base.resolved(find), field)
    case .element(let base, let index): return .element(try base.resolved(find), try index.resolved(find))
    case .slice(let base, let from, let to):
      let first = try from.map { node throws(ExpressionError) in try node.resolved(find) }
      let last = try to.map { node throws(ExpressionError) in try node.resolved(find) }
      return .slice(try base.resolved(find), from: first, to: last)
    case .prefix(let sign, let operand): return .prefix(sign, try operand.resolved(find))
    case .infix(let sign, let left, let right):
      return .infix(sign, try left.resolved(find), try right.resolved(find))
    case .call(let function, let arguments):
      return .call(function, try arguments.map { node throws(ExpressionError) in try node.resolved(find) })
    }
  }
}
