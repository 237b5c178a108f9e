import AccessoryProfile

/// A deviation from a rule, with its position.
package struct LintFinding: Sendable {
  /// The rule.
  package let rule: LintRule
  /// The file, as the user named it.
  package let file: String
  /// The line, counted from 1.
  package let line: Int
  /// The column, counted from 1.
  package let column: Int
  /// The text of the line.
  package let sourceLine: String
  /// What is wrong.
  package let message: String
  /// What to do about it.
  package let remedy: String
  /// The change of the text; nil if a person must decide.
  package let fix: LintFix?

  init(_ issue: LintIssue, of rule: LintRule) {
    self.rule = rule
    let place = issue.node.source.diagnostic(line: issue.node.line, column: issue.node.column, .warning, issue.message)
    (file, line, column, sourceLine) = (place.file, place.line, place.column, place.sourceLine)
    (message, remedy) = (place.message, issue.remedy)
    fix = issue.fix
  }

  /// The finding for people: position, severity, message, excerpt, reason, source and remedy.
  package var text: String {
    var lines = ["\(file):\(line):\(column): \(rule.severity.rawValue): \(message) [\(rule.id)]"]
    if !sourceLine.isEmpty { lines.append(Diagnostic.excerpt(of: sourceLine, around: column)) }
    lines += ["  why:    \(rule.why)", "  source: \(rule.source.description)", "  do:     \(remedy)"]
    if fix != nil { lines[lines.count - 1] += " (--fix does it)" }
    return lines.joined(separator: "\n")
  }

  /// The finding as JSON.
  package var json: ProfileValue {
    .object([
      "file": .string(file), "line": .int(Int64(line)), "column": .int(Int64(column)), "rule": .string(rule.id),
      "severity": .string(rule.severity.rawValue), "message": .string(message), "remedy": .string(remedy),
      "why": .string(rule.why), "source": .string(rule.source.text), "year": .int(Int64(rule.source.year)),
      "platforms": .array(rule.platforms.map { .string($0.rawValue) }), "fixable": .bool(fix != nil),
    ])
  }
}

extension LintReport {
  /// One line with the number of findings of each severity.
  package var summary: String {
    let counts = LintSeverity.allCases.compactMap { severity -> String? in
      let count = findings.count { $0.rule.severity == severity }
      return count == 0 ? nil : "\(count) \(severity.rawValue)\(count == 1 ? "" : "s")"
    }
    let deviations = allowed.isEmpty ? "" : ", \(allowed.count) deviation\(allowed.count == 1 ? "" : "s") with a reason"
    let fixable = findings.count { $0.fix != nil }
    return "\(file): \(name): \(counts.isEmpty ? "no findings" : counts.joined(separator: ", "))"
      + "; \(passed.count) rules followed\(deviations)" + (fixable == 0 ? "" : "; --fix mends \(fixable)")
  }
}
