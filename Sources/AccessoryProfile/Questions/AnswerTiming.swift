import BLEATT
import BLECore

/// The timing of an answer that is not given at once.
public enum AnswerTiming: Hashable, Sendable {
  /// The answer is given after a delay.
  case after(Duration)
  /// The answer is given in reply to a question, or is an error if there is no reply within a time limit.
  case asked(within: Duration, otherwise: ATTErrorCode)

  /// The default time limit for a question. It is below 30 s, after which a client gives up (Core 5.4 Vol 3 Part F 3.3.3).
  public static let usualLimit = Duration.seconds(25)
  /// The default response to an access whose question nobody answers.
  public static let usualError = ATTErrorCode.unlikelyError
}
