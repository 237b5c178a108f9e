import Foundation
import Testing

/// The list of test cases, their results and the tests agree.
@Suite("Status of the test cases")
struct StatusTests {
  struct Row {
    var id: String
    var result: String
    var how: String
  }

  /// The targets with tests that are named after test cases.
  private static let targets = ["BLEGATTTests", "BLEL2CAPTests", "ConformanceTests"]

  private static func lines(of file: String) throws -> [Substring] {
    let path = NamedTests.folder.appending(path: "Conformance/\(file)")
    return try String(contentsOf: path, encoding: .utf8).split(separator: "\n").dropFirst().map { $0 }
  }

  private let ids: [String]
  private let rows: [Row]
  private let tests: NamedTests

  init() throws {
    ids = try Self.lines(of: "tcids.csv").map(String.init)
    rows = try Self.lines(of: "status.csv").map { line in
      let fields = line.split(separator: ",", maxSplits: 2).map(String.init)
      try #require(fields.count == 3, "\(line)")
      return Row(id: fields[0], result: fields[1], how: fields[2])
    }
    tests = try NamedTests(targets: Self.targets)
  }

  @Test("Every test case in the list has one result, and there are no others")
  func complete() {
    #expect(rows.map(\.id) == ids)
    #expect(Set(ids).count == ids.count && ids.count >= 204)
  }

  @Test("Every result is valid")
  func results() {
    for row in rows {
      #expect(
        ["passed", "not-applicable"].contains(row.result) || row.result.wholeMatch(of: /needs(-[a-z]+)+/) != nil,
        "\(row)")
    }
  }

  @Test("A passed test case names a test that is named after it")
  func passed() {
    for row in rows where row.result == "passed" {
      let places = tests.places[row.id] ?? []
      #expect(places.contains { row.how.contains($0) }, "\(row.id): \(row.how), found \(places.sorted())")
    }
  }

  @Test("No test is named after a test case that has not passed")
  func notPassed() {
    for row in rows where row.result != "passed" {
      #expect(tests.places[row.id] == nil, "\(row.id) is \(row.result)")
    }
  }
}
