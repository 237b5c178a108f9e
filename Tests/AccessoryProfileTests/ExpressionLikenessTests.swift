import Testing

@testable import AccessoryProfile

/// Rules that give a text where an expression was meant, or to a variable of another type.
@Suite("Texts in place of expressions")
struct ExpressionLikenessTests {
  /// Returns what is said about a rule for writes of `a` with the action `set`, from the column of its value.
  private static func messages(_ target: String, _ value: String) -> [String] {
    diagnose(
      """
      understudy: 1
      name: Test
      variables: { n: 0, on: false, key: hex:00, word: "", low: 5 }
      services:
        - uuid: FFF0
          characteristics:
            - { id: a, uuid: FFF1, properties: [read, write], format: u8, value: 0 }
            - { id: b, uuid: FFF2, properties: [read], format: { struct: { level: u8, title: utf8 } }, value: { level: 0, title: "" } }
            - { id: c, uuid: FFF3, properties: [read], format: utf8, value: "" }
            - { id: d, uuid: FFF4, properties: [read], format: { names: { low: 0, high: 1 } }, value: low }
            - { id: e, uuid: FFF5, properties: [read], value: hex:00 }
      rules:
        - when: { written: a }
          do: { set: { \(target): \(value) } }
      """
    ).map { String($0.drop { $0 != " " }.dropFirst()) }
  }

  @Test(
    "An expression in place of a value is an error that says what to write",
    arguments: [
      ("n", "n + 1", "'n' begins as the number 0, and this is the text 'n + 1': write { compute: n + 1 }"),
      ("n", "low", "'n' begins as the number 0, and this is the text 'low': write { compute: low }"),
      ("n", "written", "'n' begins as the number 0, and this is the text 'written': write { compute: written }"),
      (
        "n", "\"min(n, 9)\"",
        "'n' begins as the number 0, and this is the text 'min(n, 9)': write { compute: \"min(n, 9)\" }"
      ),
      ("on", "not on", "'on' begins as false, and this is the text 'not on': write { compute: not on }"),
      ("key", "random(8)", "'key' begins as octets, and this is the text 'random(8)': write { compute: random(8) }"),
      ("a", "a + 1", "expected a value, not the expression 'a + 1': write { compute: a + 1 }"),
      ("a", "\"a + 1\"", "expected a value, not the expression 'a + 1': write { compute: a + 1 }"),
      (
        "b", "{ level: b.level + 1 }",
        "expected a value, not the expression 'b.level + 1': write { compute: b.level + 1 }"
      ),
      ("d", "n", "expected a value, not the expression 'n': write { compute: n }"),
      ("e", "random(8)", "expected a value, not the expression 'random(8)': write { compute: random(8) }"),
    ])
  func refused(target: String, value: String, message: String) {
    #expect(Self.messages(target, value) == ["error: " + message])
  }

  @Test(
    "In place of a text, an expression causes a warning",
    arguments: [
      ("word", "n + 1", "{ compute: n + 1 }"), ("word", "c", "{ compute: c }"),
      ("c", "text(n)", "{ compute: text(n) }"),
      ("b", "{ title: word }", "{ compute: word }"),
    ])
  func doubtful(target: String, value: String, advice: String) {
    let found = Self.messages(target, value)
    #expect(found.count == 1 && found[0].hasPrefix("warning: '"), "\(found)")
    #expect(found.first?.hasSuffix("is text here: write \(advice), or put it in quotes to confirm the text") == true)
  }

  @Test(
    "A text for a variable of another type causes a warning",
    arguments: [
      (
        "n", "much",
        "'n' begins as the number 0, and this is the text 'much'; values of different types are never equal"
      ),
      ("on", "\"x\"", "'on' begins as false, and this is the text 'x'; values of different types are never equal"),
      (
        "n", "\"5\"",
        "'n' begins as the number 0, and this is the text '5': anything in quotes is text, so remove the quotes"
      ),
    ])
  func otherType(target: String, value: String, message: String) {
    #expect(Self.messages(target, value) == ["warning: " + message])
  }

  @Test(
    "Values and texts that were meant cause nothing",
    arguments: [
      ("n", "5"), ("n", "{ compute: n + 1 }"), ("on", "true"), ("key", "hex:0102"), ("key", "\"n + 1\""),
      ("word", "\"n + 1\""), ("word", "\"c\""), ("word", "hello"), ("word", "time"), ("word", "on/off"),
      ("word", "2026-11-27"), ("word", "a-b"), ("c", "\"word\""), ("c", "none"), ("d", "low"), ("e", "\"n + 1\""),
      ("b", "{ title: free text, level: 3 }"),
    ])
  func meant(target: String, value: String) { #expect(Self.messages(target, value).isEmpty) }
}
