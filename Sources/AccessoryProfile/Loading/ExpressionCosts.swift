import BLEGATT

/// The costs of computing values, for the budgets of expressions. A value recomputes every value that it refers to, so the cost of a few
/// values that refer to each other twice would grow exponentially.
struct ExpressionCosts {
  /// The cost of one value.
  struct Cost {
    /// The number of visited nodes, including those of referenced values; capped at one more than the budget.
    var parts = 1
    /// The number of values on the longest chain of references, including this one.
    var height = 1
    /// Whether the value depends on itself, or on a value that does.
    var isCircular = false
  }

  private var costs: [Cost?] = []

  /// Calculates the costs of values.
  init(_ sources: [ValueSource]) {
    let expressions = sources.map(\.expressions)
    let references = expressions.map { $0.flatMap(\.characteristics).filter { sources.indices.contains($0) } }
    costs = Array(repeating: nil, count: sources.count)
    var isOpen = Array(repeating: false, count: sources.count)
    for root in sources.indices {
      // An explicit stack instead of recursion: before the check, a chain of values can be thousands deep.
      var path = [root]
      while let index = path.last {
        if costs[index] != nil {
          path.removeLast()
        } else if isOpen[index] {
          costs[index] = cost(of: expressions[index], references[index])
          isOpen[index] = false
        } else {
          isOpen[index] = true
          for other in references[index] where costs[other] == nil {
            if isOpen[other] { costs[other] = Cost(isCircular: true) } else { path.append(other) }
          }
        }
      }
    }
  }

  /// The cost of a value.
  subscript(index: Int) -> Cost { costs.indices.contains(index) ? costs[index] ?? Cost() : Cost() }

  /// Returns the total cost of several expressions.
  func cost(of expressions: [Expression]) -> Cost { cost(of: expressions, expressions.flatMap(\.characteristics)) }

  private func cost(of expressions: [Expression], _ references: [Int]) -> Cost {
    let most = Budget.expression.limit + 1
    var cost = Cost()
    cost.parts = min(most, expressions.reduce(1) { $0 + $1.cost })
    for other in references {
      let other = self[other]
      cost.parts = min(most, cost.parts + other.parts)
      cost.height = max(cost.height, other.height + 1)
      cost.isCircular = cost.isCircular || other.isCircular
    }
    return cost
  }
}

extension Expression {
  /// The positions of the referenced characteristics, one entry per reference.
  fileprivate var characteristics: [Int] {
    var found: [Int] = []
    root.visit { if case .reference(.characteristic(let index)) = $0 { found.append(index.position) } }
    return found
  }
}

extension ProfileLoader {
  /// Rejects values that depend on themselves or on too many others.
  mutating func checkCosts() {
    let costs = ExpressionCosts(characteristics.map(\.behavior.source))
    for index in characteristics.indices {
      guard let node = characteristics[index].expressions.first else { continue }
      if costs[index].isCircular {
        error(node, "the value of '\(characteristics[index].behavior.id)' depends on itself")
      } else {
        check(costs[index], node)
      }
    }
    expressionCosts = costs
  }

  /// Rejects an expression that costs too much.
  mutating func check(_ cost: ExpressionCosts.Cost, _ node: SyntaxNode) {
    if cost.height > Budget.references.limit {
      error(node, "this \(Budget.references.excess)")
    } else if cost.parts > Budget.expression.limit {
      error(node, "this \(Budget.expression.excess)")
    }
  }
}
