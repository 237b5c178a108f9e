import BLEATT
import BLECore

/// When an access is answered, where that is not at once.
public enum AnswerTiming: Hashable, Sendable {
  /// After so long.
  case after(Duration)
  /// When somebody has said how; with that error when nobody has within so long.
  case asked(within: Duration, otherwise: ATTErrorCode)

  /// How long somebody has who is asked, where a profile does not say: a client gives up after 30 s
  /// (Core 5.4 Vol 3 Part F 3.3.3).
  public static let usualLimit = Duration.seconds(25)
  /// What an access is answered with that nobody answers, where a profile does not say.
  public static let usualError = ATTErrorCode.unlikelyError
}
