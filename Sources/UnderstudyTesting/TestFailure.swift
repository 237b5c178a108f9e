/// An expectation on an air that was not met.
public struct TestFailure: Error, Sendable, CustomStringConvertible {
  /// The expectation that was not met, in one sentence.
  public var reason: String
  /// The lines of the air's transcript.
  public var transcript: [String]

  package init(reason: String, transcript: [String]) {
    self.reason = reason
    self.transcript = transcript
  }

  /// The sentence, followed by the transcript.
  public var description: String {
    transcript.isEmpty ? reason : "\(reason)\nWhat happened:\n" + transcript.map { "  \($0)\n" }.joined()
  }
}
