import BLECore

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
