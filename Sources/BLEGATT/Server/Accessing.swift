import BLEATT
import BLECore

extension GATTServer {
  /// Refuses an access that the policy forbids; asks the application where only authorization is missing.
  @inline(__always)
  func allow<Application: AttributeApplication>(
    _ operation: AttributeOperation, at position: Int, _ client: GATTClientState, _ application: inout Application,
    _ turn: inout ServerTurn
  ) throws(TurnEnd) {
    guard let refusal = database.attributes[position].permissions.refusal(of: operation, on: client.security) else {
      return
    }
    try authorize(operation, at: position, client, &application, &turn, else: refusal)
  }

  @inline(never)
  private func authorize<Application: AttributeApplication>(
    _ operation: AttributeOperation, at position: Int, _ client: GATTClientState, _ application: inout Application,
    _ turn: inout ServerTurn, else refusal: ATTErrorCode
  ) throws(TurnEnd) {
    let attribute = database.attributes[position]
    // Authorization is the last thing that the policy looks at: nothing else is missing.
    guard refusal == .insufficientAuthorization, let index = attribute.characteristic,
      database.records[index.position].belongsToApplication
    else { throw .refused(refusal, at: attribute.handle) }
    let question = ApplicationQuestion.authorization(operation, index)
    if let given = turn.given(question) {
      if case .error(let error) = given.answer { throw .refused(error, at: attribute.handle) }
      return
    }
    switch application.authorize(operation, of: index, for: client.connection, at: turn.now) {
    case .granted: turn.keep(question, .accepted)
    case .refused: throw .refused(.insufficientAuthorization, at: attribute.handle)
    case .error(let error): throw .refused(error, at: attribute.handle)
    case .ask(let ticket): throw .awaiting(ticket, question, handle: attribute.handle)
    }
  }

  /// The whole value of an attribute for a client that may read it.
  func value<Application: AttributeApplication>(
    at position: Int, for client: GATTClientState, application: inout Application, turn: inout ServerTurn
  ) throws(TurnEnd) -> [UInt8] {
    try allow(.read, at: position, client, &application, &turn)
    switch database.attributes[position].role {
    case .clientConfiguration(let index): return client.configuration(of: index).octets
    case .supportedFeatures: return [client.features.rawValue]
    case .askedValue(let index):
      return try ask(index, at: position, for: client, application: &application, turn: &turn)
    default:
      if position == hashPosition { turn.hasReadHash = true }
      return database.attributes[position].value
    }
  }

  /// The value that the application gives.
  func ask<Application: AttributeApplication>(
    _ index: CharacteristicIndex, at position: Int, for client: GATTClientState, application: inout Application,
    turn: inout ServerTurn
  ) throws(TurnEnd) -> [UInt8] {
    let handle = database.attributes[position].handle
    if let given = turn.given(.read(index)) {
      switch given.answer {
      case .value(let value): return value
      case .error(let error): throw .refused(error, at: handle)
      case .accepted: throw .refused(.unlikelyError, at: handle)
      }
    }
    switch application.read(index, for: client.connection, at: turn.now) {
    case .value(let value):
      turn.keep(.read(index), .value(value))
      return value
    case .error(let error):
      turn.keep(.read(index), .error(error))
      throw .refused(error, at: handle)
    case .later(let ticket): throw .awaiting(ticket, .read(index), handle: handle)
    }
  }
}
