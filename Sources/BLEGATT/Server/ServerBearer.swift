import BLEATT
import BLECore

/// The server's side of one ATT bearer: its transactions, and what the application has yet to answer of what came over it.
public struct ServerBearer: Sendable {
  /// Its name on the link.
  public let id: BearerID
  /// The bearer, whose MTU and end the client on this side shares.
  public var att: ATTBearer
  /// What the application answers later: at most one request, and commands.
  var questions: [OpenQuestion] = []
  /// The change of the database of which the client was told over this bearer by Database Out Of Sync, by its number.
  var reportedChange = 0

  /// That bearer; the one of the fixed channel, at the default MTU, when none is given.
  public init(_ att: ATTBearer = ATTBearer(), id: BearerID = .fixed) {
    self.att = att
    self.id = id
  }

  /// The tickets of what the application answers later.
  public var tickets: [AnswerTicket] { questions.map(\.ticket) }
}
