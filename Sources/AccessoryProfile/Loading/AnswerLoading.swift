import BLEATT
import BLECore

extension ProfileLoader {
  /// Reads the timing of an answer from the keys `after`, `ask`, `within` and `else`; nil to answer at once.
  mutating func answerTiming(_ keys: Keys) -> AnswerTiming? {
    let isAsked = keys["ask"].flatMap { boolean($0) } ?? false
    let delay = keys["after"].flatMap { answerDelay($0) }
    let limit = keys["within"].flatMap { answerDelay($0) }
    let otherwise = keys["else"].flatMap { errorCode($0) }
    guard isAsked else {
      for name in ["within", "else"] {
        if let key = keys.key(name) { error(key, "'\(name)' applies to questions: it needs 'ask: true'") }
      }
      return delay.map { .after($0) }
    }
    for name in ["after", "error"] {
      if let key = keys.key(name) { error(key, "'ask' and '\(name)' cannot be combined") }
    }
    return .asked(within: limit ?? AnswerTiming.usualLimit, otherwise: otherwise ?? AnswerTiming.usualError)
  }

  /// Reads a delay for which a client waits.
  mutating func answerDelay(_ node: SyntaxNode) -> Duration? {
    guard let delay = duration(node, Language.readRule, "after") else { return nil }
    if delay >= ATTBearer.transactionTimeout {
      warn(
        node,
        "this reaches the ATT transaction timeout of \(Durations.text(ATTBearer.transactionTimeout)), after "
          + "which the client gives up (Core 5.4 Vol 3 Part F 3.3.3)"
      )
    }
    return delay
  }
}
