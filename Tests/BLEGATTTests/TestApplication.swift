import BLEATT
import BLECore
import BLEGATT

/// An application with answers from the test, which records the requests.
struct TestApplication: AttributeApplication {
  /// The answers to reads; all other characteristics read as empty.
  var answers: [CharacteristicIndex: ReadAnswer] = [:]
  /// The answers to writes; any other write is accepted.
  var verdicts: [CharacteristicIndex: WriteAnswer] = [:]
  /// The answers to authorization questions; without an answer, access is refused.
  var authorizations: [CharacteristicIndex: AuthorizationAnswer] = [:]
  /// The characteristics for which authorization was requested.
  var asked: [CharacteristicIndex] = []
  /// The tickets whose answers are no longer needed.
  var cancelledTickets: [AnswerTicket] = []
  /// The reads, with their clients.
  var reads: [Access] = []
  /// The writes, with their clients.
  var writes: [Access] = []

  struct Access: Hashable {
    var characteristic: CharacteristicIndex
    var client: ClientID
    var value: [UInt8] = []
    var now: Instant
  }

  mutating func read(_ characteristic: CharacteristicIndex, for client: ClientID, at now: Instant) -> ReadAnswer {
    reads.append(Access(characteristic: characteristic, client: client, now: now))
    return answers[characteristic] ?? .value([])
  }

  mutating func write(
    _ value: [UInt8], to characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> WriteAnswer {
    writes.append(Access(characteristic: characteristic, client: client, value: value, now: now))
    return verdicts[characteristic] ?? .accepted
  }

  mutating func authorize(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer {
    asked.append(characteristic)
    return authorizations[characteristic] ?? .refused
  }

  mutating func cancelled(_ ticket: AnswerTicket, because reason: AnswerTicket.Cancellation) {
    cancelledTickets.append(ticket)
  }

  mutating func subscriptionsChanged(
    _ characteristic: CharacteristicIndex, notified: Int, indicated: Int, at now: Instant,
    actions: inout [ApplicationAction]
  ) {}

  var nextDeadline: Instant? { nil }

  mutating func advance(to now: Instant, actions: inout [ApplicationAction]) {}
}
