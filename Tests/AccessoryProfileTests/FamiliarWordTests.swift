import BLECore
import BLEGATT
import Glibc
import Testing

@testable import AccessoryProfile

/// What newcomers write, and what the messages suggest. The files in Tests/FamiliarWords each have a template and, after a line `---`, texts to
/// insert at HERE, each with the messages that it gives; the lists of known words are left out of them.
@Suite("Familiar words")
struct FamiliarWordTests {
  struct Example: Sendable, CustomTestStringConvertible {
    var template: String
    var text: String
    var messages: [String]
    var testDescription: String { text }

    /// The whole file. Further lines of the text are indented like the first.
    var file: String {
      template.split(separator: "\n", omittingEmptySubsequences: false).map { line in
        let indent = String(line.prefix { $0 == " " })
        return line.replacing("HERE", with: text.replacing("\n", with: "\n" + indent))
      }.joined(separator: "\n")
    }
  }

  static let examples: [Example] = {
    let folder = "\(FileText.root)/Tests/FamiliarWords"
    guard let directory = opendir(folder) else { return [] }
    defer { closedir(directory) }
    let names = sequence(state: directory) { readdir($0) }.map { $0.entryName }.filter { $0.hasSuffix(".txt") }
    return names.sorted().flatMap { examples(in: (try? FileText.read("\(folder)/\($0)")) ?? "") }
  }()

  private static func examples(in file: String) -> [Example] {
    let lines = file.split(separator: "\n").map { String($0) }
    guard let end = lines.firstIndex(of: "---") else { return [] }
    let template = lines[..<end].joined(separator: "\n") + "\n"
    var examples: [Example] = []
    for line in lines[(end + 1)...] {
      if line.hasPrefix("  "), !examples.isEmpty {
        examples[examples.count - 1].messages.append(String(line.dropFirst(2)))
      } else if let last = examples.last, last.messages.isEmpty {
        examples[examples.count - 1].text += "\n" + line
      } else {
        examples.append(Example(template: template, text: line, messages: []))
      }
    }
    return examples
  }

  @Test(arguments: examples)
  func messagesSayWhatToWrite(_ example: Example) {
    #expect(Self.messages(of: example.file) == example.messages)
  }

  @Test func everyRowHasAnExample() {
    #expect(Self.examples.count > 250)
    let messages = Self.examples.flatMap(\.messages)
    for row in FamiliarKeys.all {
      #expect(messages.contains { $0.contains(row.hint) }, "\(row.words)")
    }
    for (table, text) in FamiliarShapes.examples {
      #expect(messages.contains { $0.contains(text) }, "\(table)")
    }
    for row in FamiliarValue.all {
      let isShown = Self.examples.contains { example in
        Self.words(in: example.text).contains { row.words.contains($0) }
          && example.messages.contains { $0.contains(row.advice ?? "did you mean '\(row.meant)'") }
      }
      #expect(isShown, "\(row.words)")
    }
  }

  /// A row about a known key would never apply, and one that means an unknown key would mislead.
  @Test func rowsFitTheTables() {
    for row in FamiliarKeys.all {
      for place in row.places where place != "generator" {
        let table = Language.everyTable.first { $0.name == place }
        #expect(table != nil, "\(place)")
        if let meant = row.meant { #expect(table?.names.contains(meant) == true, "\(place).\(meant)") }
        for word in row.words {
          #expect(table.flatMap { Spelling.same(as: word, among: $0.names) } == nil, "\(place).\(word)")
          let rows = FamiliarKeys.all.filter { $0.places.contains(place) && $0.words.contains(word) }
          #expect(rows.count == 1, "\(place).\(word)")
        }
      }
    }
    for word in FamiliarKeys.all.flatMap(\.words) + FamiliarValue.all.flatMap(\.words) {
      #expect(Spelling.kebab(word) == word)
    }
  }

  @Test(arguments: [
    ("maxLength", "max-length"), ("MAX_LENGTH", "max-length"), ("max length", "max-length"), ("UUID", "uuid"),
    ("_x_", "x"), ("", ""), ("--", ""),
  ])
  func wordsInKebabCase(_ word: String, _ expected: String) {
    #expect(Spelling.kebab(word) == expected)
  }

  /// All of these are UUIDs, so nothing needs to be suggested.
  @Test(arguments: [
    "180D", "180d", "0x180D", "\"180D\"", "'0x180D'", "0000180d-0000-1000-8000-00805f9b34fb", "heart-rate",
  ])
  func anyFormOfAnUUID(_ text: String) throws {
    #expect(try profile("services: [ { uuid: \(text) } ]").services[0].uuid.description == "180D")
  }

  private static let fleetWords = Fleet.Words(
    controller: { _ in nil }, preset: { _ in nil }, impairment: { _ in nil }, join: { _ in nil }, speed: { _ in nil })

  private static func messages(of text: String) -> [String] {
    let found: [Diagnostic]
    do throws(ProfileError) {
      if text.hasPrefix("understudy-fleet") {
        found = try Fleet.load(text: text, file: "profile.yaml", words: fleetWords).warnings
      } else if text.hasPrefix("understudy-scenario") {
        found = try Scenario.load(text: text, file: "profile.yaml").warnings
      } else {
        found = try Profile.load(text: text).warnings
      }
    } catch {
      found = error.diagnostics
    }
    return found.map {
      "\($0.file):\($0.line):\($0.column): \($0.severity.rawValue): \(withoutKnownWords($0.message))"
    }
  }

  private static func withoutKnownWords(_ message: String) -> String {
    guard let start = message.firstRange(of: " (known: "), let end = message[start.upperBound...].firstIndex(of: ")")
    else { return message }
    return String(message[..<start.lowerBound] + message[message.index(after: end)...])
  }

  /// The words of a text in kebab case, also without what other tools put before the names of UUIDs.
  private static func words(in text: String) -> [String] {
    let words = text.split { " ,:{}[]|\"\n".contains($0) }.map { Spelling.kebab(String($0)) }
    return words
      + words.flatMap { word in ["bt-uuid-", "gatt-"].compactMap { word.dropping(prefix: $0).map { String($0) } } }
  }
}
