import Testing

@testable import AccessoryProfile

/// JSON of requests, files and programs, read in the same way as services.
@Suite("Reading JSON") struct JSONReaderTests {
  @Test(
    "A duplicate key is an error, as in a profile, and the error names the key",
    arguments: [#"{"a": 1, "a": 1}"#, #"{"b": {"a": 1, "c": 2, "a": 3}}"#, #"[{"a": 1, "\u0061": 2}]"#])
  func duplicates(json: String) {
    #expect { try ProfileValue(json: Array(json.utf8)) } throws: { "\($0)".contains("the key 'a' is a duplicate") }
    #expect { try JSONReader<SyntaxNode>.read(Array(json.utf8)) } throws: {
      "\($0)".contains("the key 'a' is a duplicate")
    }
  }

  @Test("The same key in different objects is fine", arguments: [#"[{"a": 1}, {"a": 2}]"#, #"{"a": {"a": 1}}"#])
  func apart(json: String) throws { _ = try ProfileValue(json: Array(json.utf8)) }
}
