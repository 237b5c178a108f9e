import HTTPTypes

/// The table of routes for people: the part of docs/http.md that `understudy schema --openapi --markdown` writes.
package enum RouteReference {
  /// The marks before and after that part in docs/http.md.
  package static let marks = (
    begin:
      "<!-- Written by `understudy schema --openapi --markdown`; a test compares it with the table in the "
      + "code. -->",
    end: "<!-- End of the generated part. -->"
  )

  /// The table, in Markdown.
  package static var markdown: String {
    var lines: [String] = []
    for (title, routes) in RouteTable.subjects {
      lines += ["", "### \(title)", "", "| request | effect or result |", "|---|---|"]
      lines += routes.map { "| `\($0.method.rawValue) /v1/\($0.path)` | \(text(of: $0)) |" }
    }
    lines += ["", "### Refusals", "", "| `code` | status | what to do |", "|---|---|---|"]
    lines += RefusalCode.allCases.map { "| `\($0.rawValue)` | \($0.status.code) | \($0.hint) |" }
    return lines.dropFirst().joined(separator: "\n") + "\n"
  }

  private static func text(of route: Route) -> String {
    var parts = [route.summary]
    if !route.query.isEmpty { parts.append("Query: \(route.query.map { text(of: $0) }.joined(separator: "; "))") }
    if let body = route.body, body.language == nil, case .object(let fields, _) = body.shape, !fields.isEmpty {
      parts.append("Body: \(fields.map { text(of: $0) }.joined(separator: "; "))")
    }
    return parts.joined(separator: ". ").replacing("|", with: "\\|")
  }

  private static func text(of field: Shape.Field) -> String {
    let shape =
      switch field.shape {
      case .words(let words) where words.count > 8: ""
      case .any, .text: ""
      case .hex: "octets in hexadecimal digits"
      case .duration: "a time such as `200 ms`"
      default: field.shape.words
      }
    let about = [shape, field.about].filter { !$0.isEmpty }.joined(separator: ", ")
    return "\(field.isRequired ? "" : "optional ")`\(field.name)`" + (about.isEmpty ? "" : " (\(about))")
  }
}
