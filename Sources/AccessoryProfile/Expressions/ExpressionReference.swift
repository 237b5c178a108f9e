/// What `understudy explain` says about expressions and the names in them.
extension Expression {
  /// The words that stand for expressions as a whole.
  private static let topics = ["expression", "expressions"]

  /// The names that expressions can use, at least in rules about a write.
  static let usableNames = Known.allCases.filter { $0 == .written || !ExpressionScope().absent.contains($0) }

  /// The words that have an explanation, apart from functions.
  static var explainedWords: [String] { topics + usableNames.map(\.rawValue) }

  /// Returns the explanation of a word of expressions; empty if it is none.
  static func explanation(of word: String) -> [String] {
    if topics.contains(word) { return overview }
    guard let known = Known(rawValue: word), usableNames.contains(known) else { return [] }
    return ["\(word): a name in expressions", "  \(known.summary)"]
  }

  private static var overview: [String] {
    [
      "expression: a computation, the value of compute, if, becomes and until",
      "  Example: { when: { written: lock }, if: written > 3, do: { set: { attempts: { compute: attempts + 1 } } } }",
      "  Values: 12, 0x1F, 1.5, true, hex:0102, 'text'",
      "  Names: ids of characteristics, measurement.bpm for a field, variables, parameters of a command, and \(list(of: usableNames.map(\.rawValue)))",
      "  Operators: + - * / %, & | ^ ~ << >>, == != < <= > >=, and or not, a ++ b to join octets, x[0] and x[2..4] for parts of them",
      "  Functions: \(list(of: Function.allCases.map(\.rawValue)))",
      "  In braces, YAML needs quotes around an expression with one of [ ] { } , # in it",
    ]
  }

  private static func list(of words: [String]) -> String { words.joined(separator: ", ") }
}

extension Expression.Known {
  /// The meaning of the name.
  fileprivate var summary: String {
    switch self {
    case .written:
      "What a client has written, in rules about a write, decoded by the format of the characteristic; octets(written) is its octets."
    case .value, .sent: "Reserved."
    case .time: "Seconds since the start, with fractions."
    case .now: "Whole seconds since 1970."
    case .advertisements: "The approximate number of advertising events since the start."
    case .connections: "The number of connected clients."
    case .connection: "The number of the connection involved."
    case .mtu: "The ATT MTU of the connection involved; if none is, the smallest of all."
    case .state: "The name of the profile's state, as in state == 'locked'."
    case .counter: "How many times the rule has run, or the value has been sent, before."
    case .none: "No value: a field with this value is left out."
    }
  }
}
