import Foundation
import Testing

/// The test cases whose ids are in the names of tests.
struct NamedTests {
  /// The tests of each test case: `Target/Suite.function`.
  private(set) var places: [String: Set<String>] = [:]

  /// The folder with all tests.
  static let folder = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent()

  /// Reads the sources of those targets.
  init(targets: [String]) throws {
    for target in targets {
      let sources = Self.folder.appending(path: target).resolvingSymlinksInPath()
      let files = FileManager.default.enumerator(at: sources, includingPropertiesForKeys: nil)
      for case let file as URL in try #require(files) where file.pathExtension == "swift" {
        scan(try String(contentsOf: file, encoding: .utf8), of: target)
      }
    }
  }

  /// Finds suites, names of tests and functions, in their order.
  private mutating func scan(_ source: String, of target: String) {
    var suite = ""
    var titles: [String] = []
    let marks = source.matches(
      of: /\b(?:struct|class) (?<suite>\w+)|@Test\(\s*(?:""")?"?(?<title>[^"]+)"|\bfunc (?<function>\w+)/)
    for mark in marks {
      if let name = mark.output.suite { suite = String(name) }
      if let title = mark.output.title { titles.append(String(title)) }
      guard let function = mark.output.function else { continue }
      for id in titles.flatMap(Self.ids) { places[id, default: []].insert("\(target)/\(suite).\(function)") }
      titles = []
    }
  }

  private static func ids(in title: String) -> [String] {
    title.matches(of: /\b(?:GAP|GATT|L2CAP|SDP|SM)(?:\/[A-Z]+)+\/B[VI]-\d\d-C\b/).map { String($0.output) }
  }
}
