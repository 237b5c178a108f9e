import AccessoryProfile
import Foundation
import HTTPTypes
import Testing

@testable import ControlAPI

/// Statements about all routes.
@Suite struct RouteTableTests {
  @Test func everyRouteIsFoundByItsPathAlone() {
    for route in RouteTable.all {
      let path =
        "/v1/" + route.segments.map { if case .literal(let text) = $0 { text } else { "7" } }.joined(separator: "/")
      let found = RouteTable.routes(at: path + "?a=b").filter { $0.route.method == route.method }
      #expect(found.count == 1 && found.first?.route.path == route.path, "\(route.method) \(route.path)")
    }
  }

  @Test func whatIsAnAccessorysIsBelowItsName() throws {
    let found = try #require(RouteTable.routes(at: "/v1/accessories/a%2Fb/characteristics/x/value").first)
    #expect(found.names == ["accessory": "a/b", "characteristic": "x"])
    #expect(RouteTable.routes(at: "/v1/accessories/a").map(\.route.path) == ["accessory"])
    #expect(RouteTable.routes(at: "/v1/accessories/a/radio").isEmpty)
  }

  @Test func everyNameOfAPathIsExplained() {
    for route in RouteTable.all {
      for case .name(let name) in route.segments { #expect(!PathName.of(name).about.isEmpty, "\(name)") }
    }
  }

  @Test func codesHaveHintsAndOneStyle() {
    for code in RefusalCode.allCases {
      #expect(
        code.rawValue.wholeMatch(of: #/[a-z]+(-[a-z]+)*/#) != nil && !code.hint.isEmpty && code.status.code >= 400)
    }
  }

  @Test("docs/http.md is generated from the table: run `understudy schema --openapi --markdown`")
  func document() throws {
    let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent()
    let text = try String(contentsOf: root.appending(path: "docs/http.md"), encoding: .utf8)
    let marks = RouteReference.marks
    #expect(text.contains("\(marks.begin)\n\n\(RouteReference.markdown)\n\(marks.end)\n"))
  }

  @Test func openAPIDocumentIsWhole() throws {
    guard case .object(let document) = OpenAPIDocument.json, case .object(let paths) = document["paths"] else {
      throw SocketFailure(what: "no paths")
    }
    #expect(document["openapi"] == "3.1.1")
    var identifiers: Set<ProfileValue> = []
    for (path, item) in paths {
      guard case .object(let operations) = item else { continue }
      for (method, operation) in operations {
        guard case .object(let fields) = operation, let identifier = fields["operationId"] else {
          Issue.record("\(method) \(path)")
          continue
        }
        #expect(identifiers.insert(identifier).inserted, "\(identifier)")
        var declared: [String] = []
        if case .array(let parameters) = fields["parameters"] {
          for case .object(let parameter) in parameters where parameter["in"] == "path" {
            if case .string(let name) = parameter["name"] { declared.append(name) }
          }
        }
        #expect(declared == path.matches(of: #/{([a-z]+)}/#).map { String($0.1) }, "\(path)")
        guard case .object(let responses) = fields["responses"] else { continue }
        #expect(responses.keys.contains { $0.hasPrefix("2") } && responses["401"] != nil && responses["403"] != nil)
      }
    }
    // Every route once, and once more below the name of an accessory.
    #expect(identifiers.count == RouteTable.all.count + RouteTable.all.count { $0.scope != .program })
  }
}
