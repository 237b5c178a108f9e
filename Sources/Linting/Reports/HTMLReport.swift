import AccessoryProfile
import BLEGAP

/// A page about the compliance of profiles, to read and to print: for a team, or for App Review.
package enum HTMLReport {
  /// Returns the page for these profiles.
  package static func page(_ reports: [LintReport]) -> String {
    """
    <!DOCTYPE html>
    <html lang="en">
    <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width">
    <title>\(escaped(reports.map(\.name).joined(separator: ", "))): compliance</title>
    <style>
    \(style)
    </style>
    </head>
    <body>
    \(reports.map(section).joined(separator: "\n"))
    \(limits)
    </body>
    </html>

    """
  }

  private static let style = """
    body { font: 11pt/1.45 system-ui, sans-serif; max-width: 50rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; background: #fff }
    h1 { font-size: 1.5rem } h2 { font-size: 1.15rem; margin-top: 2rem } table { border-collapse: collapse; width: 100% }
    th, td { text-align: left; vertical-align: top; padding: .3rem .6rem .3rem 0; border-bottom: 1px solid #ddd }
    article { border-left: 4px solid #888; padding: .1rem 0 .1rem 1rem; margin: 1rem 0; break-inside: avoid }
    .error { border-color: #b3261e } .warning { border-color: #b26a00 } .note { border-color: #2b5ea7 }
    pre { background: #f4f4f4; padding: .5rem; overflow-x: auto } code { font-size: .95em }
    .small { color: #555; font-size: .9em } section + section { break-before: page }
    @media print { body { max-width: none; margin: 0 } pre { white-space: pre-wrap } }
    """

  private static func section(_ report: LintReport) -> String {
    let count = { (severity: LintSeverity) in report.findings.count { $0.rule.severity == severity } }
    let summary = LintSeverity.allCases.map { "\(count($0)) \($0.rawValue)\(count($0) == 1 ? "" : "s")" }
    return """
      <section>
      <h1>\(escaped(report.name))</h1>
      <p class="small">\(escaped(report.file)): \(summary.joined(separator: ", ")); \(report.passed.count) rules followed, \
      \(report.allowed.count) deviations with a reason, \(report.inapplicable.count) rules that do not apply.</p>
      <h2>How to use it</h2>
      <table>\(manual(of: report))</table>
      <h2>Findings</h2>
      \(report.findings.isEmpty ? "<p>None.</p>" : report.findings.map { finding($0, nil) }.joined(separator: "\n"))
      \(report.allowed.isEmpty ? "" : "<h2>Deviations with a reason</h2>")
      \(report.allowed.flatMap { allowed in allowed.findings.prefix(1).map { finding($0, allowed.reason) } }.joined(separator: "\n"))
      <h2>What it costs</h2>
      <table>\(costs(report.costs))</table>
      <p class="small">Currents are estimates for an nRF52832 at 0 dBm and 3 V. Round trips are those of a client that discovers everything.</p>
      <h2>Rules followed</h2>
      <table>\(report.passed.map(row).joined())</table>
      <h2>Rules that do not apply</h2>
      <p>\(report.inapplicable.isEmpty ? "None." : report.inapplicable.map { escaped($0.title) }.joined(separator: " "))</p>
      </section>
      """
  }

  /// The manual for the reviewers of an app, who have no device.
  private static func manual(of report: LintReport) -> String {
    let instructions =
      report.instructions.isEmpty
      ? "Not stated: add <code>instructions</code> to the profile." : escaped(report.instructions)
    return [
      (
        "What it is",
        report.about.isEmpty ? "Not stated: add <code>about</code> to the profile." : escaped(report.about)
      ),
      ("Start", "<code>understudy run \(escaped(report.file))</code>"), ("Name in the app", escaped(report.name)),
      ("Instructions", instructions),
      ("Buttons", report.buttons.isEmpty ? "None." : report.buttons.map(escaped).joined(separator: ", ")),
    ].map { "<tr><td>\($0.0)</td><td>\($0.1)</td></tr>\n" }.joined()
  }

  private static func finding(_ finding: LintFinding, _ reason: String?) -> String {
    """
    <article class="\(finding.rule.severity.rawValue)">
    <h3>\(escaped(finding.rule.title))</h3>
    <p>\(finding.rule.severity.rawValue.capitalizedFirst): \(escaped(finding.message)).</p>
    <pre>\(escaped("\(finding.line): \(finding.sourceLine)"))</pre>
    <p>\(escaped(finding.rule.why))</p>
    \(reason.map { "<p><strong>Reason:</strong> \(escaped($0))</p>" } ?? "<p><strong>Change:</strong> \(escaped(finding.remedy)).</p>")
    <p class="small">\(escaped(finding.rule.source.description)). Rule <code>\(finding.rule.id)</code>.</p>
    </article>
    """
  }

  private static func row(_ rule: LintRule) -> String {
    "<tr><td>\(escaped(rule.title))</td><td class=\"small\">\(escaped(rule.source.description))</td></tr>\n"
  }

  private static func costs(_ costs: LintedCosts) -> String {
    var rows: [(String, String)] = []
    if let discovery = costs.discovery {
      rows.append(
        (
          "Discovery of everything",
          "\(discovery.roundTrips) round trips, at least \(discovery.milliseconds) ms at an interval of 30 ms"
        ))
    }
    rows += costs.advertising.map { set in
      (
        "Advertising set \(set.set), every \(Durations.text(set.interval))",
        "about \(Int(set.current.rounded())) µA, \(PowerEstimate.days(at: set.current)) days of a CR2032"
      )
    }
    if costs.sending > 0 {
      rows.append(("Sending of periodic values", "about \(Int(costs.sending.rounded(.up))) µA"))
    }
    return rows.map { "<tr><td>\(escaped($0.0))</td><td>\(escaped($0.1))</td></tr>\n" }.joined()
  }

  /// What a profile cannot show.
  private static let limits = """
    <section>
    <h1>What was not checked</h1>
    <ul>
    <li>The app: whether it scans for services, waits for subscriptions, asks for a larger MTU, copes with refusals, and explains in its
    purpose string why it uses Bluetooth.</li>
    <li>The radio: power, sensitivity, antenna, and the accuracy of clocks and intervals.</li>
    <li>The firmware: the profile only describes it. Run the same tests against the device.</li>
    <li>BR/EDR, LE Audio, and the guidelines of the MFi Program.</li>
    <li>Qualification by the Bluetooth SIG, and the law where the product is sold.</li>
    </ul>
    <p class="small">Made by <code>understudy lint --html</code>. Each rule names its source.</p>
    </section>
    """

  private static func escaped(_ text: String) -> String {
    text.reduce(into: "") { result, character in
      switch character {
      case "&": result += "&amp;"
      case "<": result += "&lt;"
      case ">": result += "&gt;"
      case "\"": result += "&quot;"
      default: result.append(character)
      }
    }
  }
}

extension String {
  fileprivate var capitalizedFirst: String { prefix(1).uppercased() + dropFirst() }
}
