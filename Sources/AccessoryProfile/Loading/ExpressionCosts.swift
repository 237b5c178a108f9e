import BLEGATT

/// What values cost to compute: the budgets of expressions. A value that refers to another computes it anew each time, so that few
/// values which refer to each other twice would compute without end.
struct ExpressionCosts {
  /// What one value costs.
  struct Cost {
    /// How many parts are looked at, with those of the values that it refers to; one more than the budget for anything above.
    var parts = 1
    /// How many values it passes through, itself included.
    var height = 1
    /// Whether it depends on itself, or on a value that does.
    var isCircular = false
  }

  private var costs: [Cost?] = []

  /// The costs of these values.
  init(_ sources: [ValueSource]) {
    let expressions = sources.map(\.expressions)
    let references = expressions.map { $0.flatMap(\.characteristics).filter { sources.indices.contains($0) } }
    costs = Array(repeating: nil, count: sources.count)
    var isOpen = Array(repeating: false, count: sources.count)
    for root in sources.indices {
      // A stack of its own: the values of a profile can follow from one another thousands deep before this says that they must not.
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

  /// What a value costs.
  subscript(index: Int) -> Cost { costs.indices.contains(index) ? costs[index] ?? Cost() : Cost() }

  /// What expressions cost that stand together.
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
  /// The positions of the characteristics that it refers to, each as often as it does.
  fileprivate var characteristics: [Int] {
    var found: [Int] = []
    root.visit { if case .reference(.characteristic(let index)) = $0 { found.append(index.position) } }
    return found
  }
}

extension ProfileLoader {
  /// Refuses values that follow from themselves, or from too many others.
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

  /// Refuses an expression that looks at too much.
  mutating func check(_ cost: ExpressionCosts.Cost, _ node: SyntaxNode) {
    if cost.height > Budget.references.limit {
      error(node, "this \(Budget.references.excess)")
    } else if cost.parts > Budget.expression.limit {
      error(node, "this \(Budget.expression.excess)")
    }
  }
}
