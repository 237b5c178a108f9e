/// What a path about questions names.
enum QuestionResource: Hashable, Sendable {
  case questions
  case answer(to: String)
  /// A key that is pressed while a passkey is typed.
  case keypress(of: String)

  init?(_ names: [String]) {
    switch (names[0], names.count) {
    case ("questions", 1): self = .questions
    case ("questions", 3) where names[2] == "answer": self = .answer(to: names[1])
    case ("questions", 3) where names[2] == "keypress": self = .keypress(of: names[1])
    default: return nil
    }
  }

  var methods: [String] {
    switch self {
    case .questions: ["GET"]
    case .answer, .keypress: ["POST"]
    }
  }
}
