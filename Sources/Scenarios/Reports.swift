import AccessoryProfile
import BLECore
import Understudy

/// A report in the Test Anything Protocol, version 14.
package enum TAPReport {
  /// Returns the lines before all results.
  package static func head(count: Int) -> [String] { ["TAP version 14", "1..\(count)"] }

  /// Returns the lines of one case. A failure is described by YAML below the result.
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

/// A report in the XML format of JUnit, which CI servers read.
package enum JUnitReport {
  /// Returns the document, with a suite for each scenario. Times are virtual.
  package static func text(of results: [CaseResult]) -> String {
    var lines = ["<?xml version=\"1.0\" encoding=\"UTF-8\"?>"]
    lines.append("<testsuites tests=\"\(results.count)\" failures=\"\(results.count { !$0.hasPassed })\">")
    var rest = results[...]
    while let first = rest.first {
      let suite = rest.prefix { $0.scenario == first.scenario && $0.file == first.file }
      rest = rest.dropFirst(suite.count)
      let seconds = suite.reduce(0.0) { $0 + $1.seconds }
      lines.append(
        "  <testsuite name=\"\(escaped(first.scenario))\" file=\"\(escaped(first.file))\" tests=\"\(suite.count)\""
          + " failures=\"\(suite.count { !$0.hasPassed })\" time=\"\(seconds)\">")
      for result in suite { lines += testCase(result) }
      lines.append("  </testsuite>")
    }
    return (lines + ["</testsuites>"]).joined(separator: "\n") + "\n"
  }

  private static func testCase(_ result: CaseResult) -> [String] {
    let head =
      "    <testcase classname=\"\(escaped(result.scenario))\" name=\"\(escaped(result.name))\" time=\"\(result.seconds)\""
    if let skipped = result.skipped {
      return [head + ">", "      <skipped message=\"\(escaped(skipped))\"/>", "    </testcase>"]
    }
    guard let failure = result.failure else { return [head + "/>"] }
    var lines = ["\(failure)"]
    if let time = failure.time { lines.append("time: \(time.secondsText)") }
    for fault in failure.injectedLines ?? [] { lines.append("injected: \(fault)") }
    let text = escaped(lines.joined(separator: "\n"))
    return [
      head + ">", "      <failure message=\"\(escaped(failure.reason))\">\(text)</failure>",
      "      <system-out>\(escaped(result.transcript.joined(separator: "\n")))</system-out>", "    </testcase>",
    ]
  }

  /// Escapes text for XML (XML 1.0, 2.2 and 2.4).
  private static func escaped(_ text: String) -> String {
    text.unicodeScalars.map { scalar in
      switch scalar {
      case "&": "&amp;"
      case "<": "&lt;"
      case ">": "&gt;"
      case "\"": "&quot;"
      case "\n", "\t": "\(scalar)"
      case _ where scalar.value < 0x20 || scalar.value == 0xFFFE || scalar.value == 0xFFFF: "?"
      default: "\(scalar)"
      }
    }.joined()
  }
}

extension CaseResult {
  /// The duration in virtual time, in seconds.
  fileprivate var seconds: Double { Double(duration.inNanoseconds / 1_000_000) / 1000 }
}
