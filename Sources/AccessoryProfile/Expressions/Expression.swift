import BLEGATT

/// Something that a profile computes: arithmetic, comparisons, slices, checksums and codes. It is total: every evaluation ends, with a value or an
/// error, and its cost is bounded.
public struct Expression: Hashable, Sendable {
  /// How it is written.
  public let text: String
  let root: Node

  /// A part of an expression.
  indirect enum Node: Hashable, Sendable {
    case literal(ExpressionValue)
    case reference(Reference)
    /// A name that is not found yet, and its place in the text.
    case name(String, offset: Int)
    case member(Node, String)
    case element(Node, Node)
    case slice(Node, from: Node?, to: Node?)
    case prefix(Prefix, Node)
    case infix(Infix, Node, Node)
    case call(Function, [Node])
  }

  /// What a name means.
  enum Reference: Hashable, Sendable {
    case characteristic(CharacteristicIndex)
    case variable(Int)
    /// A parameter of a control point's command.
    case parameter(String)
    case known(Known)
  }

  /// Names that mean something by themselves, where the profile has nothing of that name.
  enum Known: String, Hashable, Sendable, CaseIterable {
    /// What a client has written.
    case written
    /// The value as it is now, and as it was sent last: of a threshold.
    case value, sent
    /// Seconds since the accessory started, and since 1970.
    case time, now
    /// About how many advertising events there have been.
    case advertisements
    /// How many clients are connected, and the number of the one that this is about.
    case connections, connection
    /// The ATT MTU of that client, or without one the smallest of all.
    case mtu
    /// The name of the state.
    case state
    /// How often the value has been sent, or the rule has been followed.
    case counter
    /// No value: a field that is computed so is not there.
    case none
  }

  enum Prefix: Hashable, Sendable { case minus, complement, not }

  enum Infix: String, Hashable, Sendable {
    case or, and
    case equal = "==", unequal = "!=", less = "<", atMost = "<=", greater = ">", atLeast = ">="
    case bitOr = "|", bitXor = "^", bitAnd = "&", shiftLeft = "<<", shiftRight = ">>"
    case join = "++", plus = "+", minus = "-", times = "*", divided = "/", remainder = "%"

    /// How tightly it binds.
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

  /// The longest text, and the deepest nesting.
  static let longestText = 4096
  static let deepest = 64
}

extension Expression {
  /// Everything that it speaks of.
  var references: Set<Reference> {
    var found: Set<Reference> = []
    root.visit { if case .reference(let reference) = $0 { found.insert(reference) } }
    return found
  }

  /// Whether it gives another value by itself as time goes on.
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

  /// How many parts an evaluation looks at, at the most, apart from the values that it speaks of.
  var cost: Int {
    var count = 0
    root.visit { _ in count += 1 }
    return count
  }

  /// The expression with names that are found.
  func resolved(_ find: (String) -> Reference?) throws(ExpressionError) -> Expression {
    Expression(text: text, root: try root.resolved(find))
  }
}

extension Expression.Node {
  /// The parts of a part.
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
