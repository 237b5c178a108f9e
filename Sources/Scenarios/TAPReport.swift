import AccessoryProfile
import UnderstudyCore

/// A report in the Test Anything Protocol, version 14.
package enum TAPReport {
  /// Returns the lines before all results.
  package static func head(count: Int) -> [String] { ["TAP version 14", "1..\(count)"] }

  /// Returns the lines of one case. YAML below the result describes a failure.
  package static func lines(of result: CaseResult, number: Int, kept: [String] = []) -> [String] {
    let title = titled("\(result.scenario): \(result.name)")
    guard let failure = result.failure else {
      return ["ok \(number) - \(title)" + (result.skipped.map { " # SKIP \(titled($0))" } ?? "")]
    }
    var lines = ["not ok \(number) - \(title)", "  ---", "  message: \(quoted(failure.reason))"]
    if failure.line > 0 {
      lines += ["  at: \(quoted("\(result.file):\(failure.line)"))", "  step: \(quoted(failure.step))"]
    }
    if let time = failure.time { lines.append("  time: \(time.secondsText)") }
    if let injected = failure.injectedLines { lines.append("  injected: \(list(injected))") }
    if !kept.isEmpty { lines.append("  kept: \(list(kept))") }
    return lines + ["  ..."]
  }

  /// Returns a title on one line. Without an escape, `#` would begin a directive, and a line break a new line.
  private static func titled(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "#": "\\#"
      case _ where scalar.properties.generalCategory == .control: " "
      case "\u{2028}", "\u{2029}": " "
      default: "\(scalar)"
      }
    }.joined()
  }

  private static func list(_ texts: [String]) -> String { "[\(texts.map(quoted).joined(separator: ", "))]" }

  private static func quoted(_ text: String) -> String { ProfileValue.string(text).jsonText }
}
