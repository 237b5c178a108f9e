import AccessoryProfile
import Crypto

/// The page of a report: one file with its style, its script and its data, which needs no network.
package enum ReportPage {
  private static let styles = ["dashboard.css"]
  private static let start = "report.js"

  /// Returns the text of the file.
  package static func text(of report: RunReport) -> String {
    let (style, script) = (style, script)
    let policy =
      "default-src 'none'; script-src '\(hash(script))'; style-src '\(hash(style))'; img-src data:; base-uri 'none'; "
      + "form-action 'none'"
    return """
      <!doctype html>
      <html lang="en">
      <head>
      <meta charset="utf-8">
      <meta http-equiv="Content-Security-Policy" content="\(policy)">
      <meta name="viewport" content="width=device-width, initial-scale=1">
      <meta name="color-scheme" content="light dark">
      <meta name="referrer" content="no-referrer">
      <title>Report</title>
      <link rel="icon" href="data:,">
      <style>\(style)</style>
      </head>
      <body>
      <a class="skip" href="#main">Skip to the report</a>
      <header class="page"><h1 id="title">Report</h1><p id="verdict"></p></header>
      <div id="alerts" role="alert"></div>
      <nav id="cases" aria-label="Cases" hidden></nav>
      <main id="main" tabindex="-1"></main>
      <noscript><p>This report needs JavaScript. It loads nothing from elsewhere.</p></noscript>
      <script type="application/json" id="data">\(ReportJSON.text(of: report))</script>
      <script>\(script)</script>
      </body>
      </html>

      """
  }

  /// The style: the dashboard's, and the report's own.
  private static var style: String {
    (styles.map { EmbeddedFiles.dashboard.text(at: $0) } + [EmbeddedFiles.report.text(at: "report.css")])
      .compactMap(\.self).joined(separator: "\n")
  }

  /// The script: the report's modules, and the dashboard's modules that they import.
  static var script: String {
    ModuleBundle.script(of: start) { name in
      EmbeddedFiles.report.text(at: name) ?? EmbeddedFiles.dashboard.text(at: name)
    } ?? ""
  }

  /// Returns the hash source of an inline script or style for a Content Security Policy (CSP Level 3, 2.3.1).
  private static func hash(_ text: String) -> String { "sha256-" + Base64.text(SHA256.hash(data: Array(text.utf8))) }
}
