/// How much a text from outside may ask of the program. A short text can stand for work without end: by names that stand for each other,
/// by aliases, by repetitions. Each kind of such work has a budget, and what exceeds it is an error that names the budget. docs/budgets.md lists them.
struct Budget: Hashable, Sendable {
  /// What is counted.
  let name: String
  /// How many of it there may be.
  let limit: Int

  private init(_ limit: Int, _ name: String) { (self.name, self.limit) = (name, limit) }

  /// What the error says of it.
  var excess: String { "exceeds the budget of \(limit.inGroups) \(name)" }

  /// The parts of a YAML text, those that aliases and merge keys stand for included.
  static let nodes = Budget(2_000_000, "parts of a YAML text")
  /// The parts of expressions that one evaluation looks at, with those of the values that it refers to, each as often as it does.
  static let expression = Budget(20_000, "parts of an expression and the values that it refers to")
  /// How many values an expression may pass through from one to the next.
  static let references = Budget(32, "values that follow from one another")
  /// The parts of a format, with those of the formats that it names, each as often as it does.
  static let format = Budget(10_000, "parts of a format")
  /// How deeply formats may contain, and stand for, one another.
  static let formatDepth = Budget(64, "formats in one another")
  /// What rules may do because of one thing that happens.
  static let effects = Budget(10_000, "effects of rules at one moment")
  /// The cases of a scenario, those of each matrix one by one.
  static let cases = Budget(10_000, "cases of a scenario")
  /// The steps of all cases of a scenario, those that are repeated each time.
  static let steps = Budget(500_000, "steps of a scenario")
  /// The parts of all cases of a scenario, once parameters have been put in.
  static let filled = Budget(5_000_000, "parts of a scenario with its parameters")

  /// All of them, for the page that lists them.
  static let all = [nodes, expression, references, format, formatDepth, effects, cases, steps, filled]
}

/// How much of a budget is left.
struct Allowance: Hashable, Sendable {
  let budget: Budget
  private(set) var left: Int

  init(_ budget: Budget) { (self.budget, left) = (budget, budget.limit) }

  /// Takes as much as that; false, and nothing is left any longer, where there is not enough.
  mutating func take(_ amount: Int) -> Bool {
    left = amount <= left ? left - amount : -1
    return left >= 0
  }
}

extension Int {
  /// The number with a comma between groups of three digits, as in 20,000.
  var inGroups: String {
    let digits = String(magnitude)
    let groups = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
    }
    return (self < 0 ? "-" : "") + groups.joined()
  }
}
