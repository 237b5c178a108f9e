/// Limits on the work that a text from outside can cause. A short text can cause unlimited work, by names that refer to each other, by
/// aliases, or by repetitions. Each kind of such work has a budget, and exceeding it is an error that names the budget. docs/budgets.md
/// lists the budgets.
struct Budget: Hashable, Sendable {
  /// The unit that is counted.
  let name: String
  /// The maximum number of units.
  let limit: Int

  private init(_ limit: Int, _ name: String) { (self.name, self.limit) = (name, limit) }

  /// The text of the error.
  var excess: String { "exceeds the budget of \(limit.inGroups) \(name)" }

  /// The parts of a YAML text, including those that aliases and merge keys refer to.
  static let nodes = Budget(2_000_000, "parts of a YAML text")
  /// The nodes that one evaluation visits, including those of referenced values, counted for each reference.
  static let expression = Budget(20_000, "parts of an expression and the values that it refers to")
  /// The length of a chain of values, each of which refers to the next.
  static let references = Budget(32, "values that refer to one another in a chain")
  /// The parts of a format, including those of the formats that it names, counted for each reference.
  static let format = Budget(10_000, "parts of a format")
  /// The nesting depth of formats, including the formats that they name.
  static let formatDepth = Budget(64, "nested formats")
  /// The effects of rules that one event may cause.
  static let effects = Budget(10_000, "effects of rules for one event")
  /// The cases of a scenario, including each case of a matrix.
  static let cases = Budget(10_000, "cases of a scenario")
  /// The steps of all cases of a scenario. Repeated steps count each time.
  static let steps = Budget(500_000, "steps of a scenario")
  /// The parts of all cases of a scenario, after parameters are filled in.
  static let filled = Budget(5_000_000, "parts of a scenario with its parameters")

  /// All budgets, for the page that lists them.
  static let all = [nodes, expression, references, format, formatDepth, effects, cases, steps, filled]
}

/// The rest of a budget.
struct Allowance: Hashable, Sendable {
  let budget: Budget
  private(set) var left: Int

  init(_ budget: Budget) { (self.budget, left) = (budget, budget.limit) }

  /// Takes an amount. If not enough is left, returns false and leaves nothing.
  mutating func take(_ amount: Int) -> Bool {
    left = amount <= left ? left - amount : -1
    return left >= 0
  }
}

extension Int {
  /// The number with commas between groups of three digits, as in 20,000.
  var inGroups: String {
    let digits = String(magnitude)
    let groups = digits.enumerated().map { index, digit in
      index > 0 && (digits.count - index) % 3 == 0 ? ",\(digit)" : "\(digit)"
    }
    return (self < 0 ? "-" : "") + groups.joined()
  }
}
