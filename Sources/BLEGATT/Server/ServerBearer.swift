import BLEATT
import BLECore

/// The server's side of one ATT bearer: its transactions, and what the application has yet to answer of what came over it.
public struct ServerBearer: Sendable {
  /// The bearer, whose MTU and end the client on this side shares.
  public var att = ATTBearer()
  /// What the application answers later: at most one request, and commands.
  var questions: [OpenQuestion] = []

  /// A bearer at the default MTU.
  public init() {}

  /// The tickets of what the application answers later.
  public var tickets: [AnswerTicket] { questions.map(\.ticket) }
}
