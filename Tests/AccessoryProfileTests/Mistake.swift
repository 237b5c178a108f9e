import Testing

/// A text, and the diagnostics expected for it: position and severity, and a part of the message.
struct Mistake: Sendable, CustomTestStringConvertible {
  var title: String
  var text: String
  var expected: [(place: String, message: String)]

  var testDescription: String { title }

  init(_ title: String, _ text: String, _ expected: (place: String, message: String)...) {
    self.title = title
    self.text = text
    self.expected = expected
  }
}
