import BLEATT
import BLECore

/// The server's side of an ATT bearer: its transactions, and the application's outstanding answers.
public struct ServerBearer: Sendable {
  /// Its identity on the link.
  public let id: BearerID
  /// The bearer, whose MTU and end it shares with the client on this side.
  public var att: ATTBearer
  /// The questions that the application answers later: at most one request, and commands.
  var questions: [OpenQuestion] = []
  /// The number of the database change that this bearer has reported to the client by Database Out Of Sync.
  var reportedChange = 0

  /// Creates the bearer; by default that of the fixed channel, with the default MTU.
  public init(_ att: ATTBearer = ATTBearer(), id: BearerID = .fixed) {
    self.att = att
    self.id = id
  }

  /// The tickets of the application's outstanding answers.
  public var tickets: [AnswerTicket] { questions.map(\.ticket) }
}
