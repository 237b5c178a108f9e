import AccessoryProfile
import Glibc
import Testing

@testable import Linting

/// Deprecated spellings give a warning. Upgrading replaces them, and the profile stays the same.
@Suite("Upgrades of profiles")
struct UpgradeTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var title: String
    /// The characteristic's lines after its UUID, before and after.
    var old: String
    var new: String
    var warning: String
    var uuid = "FFF1"
    var testDescription: String { title }

    static func profile(_ lines: String, _ uuid: String) -> String {
      "understudy: 1\nname: Test   # a comment\nservices:\n  - uuid: FFF0\n    characteristics:\n      - uuid: \(uuid)\n"
        + lines.split(separator: "\n").map { "        \($0)\n" }.joined()
    }
  }

  static let examples = [
    Example(
      title: "a list of intervals", old: "properties: [notify]\nvalue: { bpm: 60, rr: from-bpm }   # beats",
      new: "properties: [notify]\nvalue: { bpm: 60, rr: { intervals: bpm } }   # beats",
      warning: """
        profile.yaml:8:31: warning: 'from-bpm' is deprecated, because a generator is a mapping whose first key is its name: write \
        { intervals: bpm }; `understudy check --upgrade` does it
        """, uuid: "2A37"),
    Example(
      title: "any write",
      old: "properties: [write]\non-write: [ { when: hex:01, do: log }, { when: any, do: disconnect } ]   # rules",
      new: "properties: [write]\non-write: [ { when: hex:01, do: log }, { otherwise: disconnect } ]   # rules",
      warning: """
        profile.yaml:8:56: warning: 'when: any' is deprecated, because 'otherwise' is the rule for all other writes: write \
        'otherwise' instead of 'do'; `understudy check --upgrade` does it
        """),
    Example(
      title: "any write, over several lines",
      old: "properties: [write]\non-write:\n  - when: any   # all\n    do:\n      - log",
      new: "properties: [write]\non-write:\n  - # all\n    otherwise:\n      - log",
      warning: """
        profile.yaml:9:19: warning: 'when: any' is deprecated, because 'otherwise' is the rule for all other writes: write \
        'otherwise' instead of 'do'; `understudy check --upgrade` does it
        """),
    Example(
      title: "an error for any write", old: "properties: [write]\non-write:\n  - when: any\n    error: 0x80   # no",
      new: "properties: [write]\non-write:\n  - otherwise: { error: 0x80 }   # no",
      warning: """
        profile.yaml:9:19: warning: 'when: any' is deprecated, because 'otherwise' is the rule for all other writes: write \
        otherwise: { error: 0x80 }; `understudy check --upgrade` does it
        """),
    Example(
      title: "a condition", old: "properties: [write]\non-write: [ { when: any, if: mtu > 23, do: log } ]",
      new: "properties: [write]\non-write: [ { if: mtu > 23, do: log } ]",
      warning: """
        profile.yaml:8:29: warning: 'when: any' is deprecated, because 'otherwise' is the rule for all other writes: write \
        'if' alone; `understudy check --upgrade` does it
        """),
    Example(
      title: "a question", old: "properties: [write]\non-write: [ { when: any, ask: true } ]",
      new: "properties: [write]\non-write: [ { otherwise: [], ask: true } ]",
      warning: """
        profile.yaml:8:29: warning: 'when: any' is deprecated, because 'otherwise' is the rule for all other writes: write \
        otherwise: []; `understudy check --upgrade` does it
        """),
  ]

  @Test(arguments: examples)
  func theProfileStaysTheSame(_ example: Example) throws {
    let (old, new) = (Example.profile(example.old, example.uuid), Example.profile(example.new, example.uuid))
    let before = try Profile.load(text: old)
    #expect(before.warnings.map { "\($0)".prefix { $0 != "\n" } } == [Substring(example.warning)])
    let upgraded = try ProfileUpgrader.upgrade(text: old, file: "profile.yaml")
    #expect(upgraded.text == new)
    #expect(upgraded.changes.count == 1)
    let after = try Profile.load(text: new)
    #expect(after.warnings.isEmpty)
    #expect(after.behaviors == before.behaviors)
    #expect(after.services == before.services)
    // A second upgrade changes nothing.
    #expect(try ProfileUpgrader.upgrade(text: new, file: "profile.yaml").changes.isEmpty)
  }

  /// The upgrade leaves out unsafe changes; the warning says what to write.
  @Test(arguments: [
    "{ do: log, when: any }", "{ when: any, do: log }, { when: hex:01, do: log }", "{ \"when\": any, do: log }",
  ])
  func unsafeChangesAreLeftOut(_ rules: String) throws {
    let text = Example.profile("properties: [write]\non-write: [ \(rules) ]", "FFF1")
    #expect(try ProfileUpgrader.upgrade(text: text, file: "profile.yaml").text == text)
    #expect(try Profile.load(text: text).warnings.count == 1)
  }

  /// A file that several services include is upgraded once, and those that come with the program are never touched.
  @Test func includedFilesAreUpgraded() throws {
    var template = Array("/tmp/understudy-upgrade-XXXXXX".utf8CString)
    let folder = String(cString: try #require(mkdtemp(&template)))
    let service =
      "uuid: FFF0\ncharacteristics:\n  - { id: x, uuid: FFF1, properties: [write], on-write: [ { when: any, do: log } ] }   # kept\n"
    let path = "\(folder)/service.yaml"
    let written = try #require(fopen(path, "w"))
    #expect(fputs(service, written) >= 0 && fclose(written) == 0)
    defer {
      unlink(path)
      rmdir(folder)
    }
    let profile = """
      understudy: 1
      name: Test
      services:
        - { include: service.yaml }
        - { include: service.yaml, id: second }
        - include: battery
        - uuid: FFF2
          characteristics: [ { uuid: FFF3, properties: [write], on-write: [ { when: any, do: log } ] } ]
      """
    let file = "\(folder)/profile.yaml"
    let upgraded = try ProfileUpgrader.upgrade(text: profile, file: file)
    #expect(upgraded.text == profile.replacing("when: any, do:", with: "otherwise:"))
    #expect(upgraded.included == [path: service.replacing("when: any, do:", with: "otherwise:")])
    #expect(upgraded.changes.map { "\($0.file):\($0.line)" } == ["\(file):8", "\(path):3"])
  }

  @Test(arguments: ShippedProfiles.list.map(\.name))
  func noShippedProfileHasADeprecatedSpelling(_ name: String) throws {
    let profile = try Profile.load(name)
    #expect(!profile.warnings.contains { $0.message.contains("deprecated") })
  }
}
