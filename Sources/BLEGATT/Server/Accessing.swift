import BLEATT
import BLECore

extension GATTServer {
  /// Refuses an access that the policy forbids. Asks the application if only authorization is missing.
  @inline(__always)
  func allow<Application: AttributeApplication>(
    _ operation: AttributeOperation, at position: Int, _ session: GATTSession, _ application: inout Application,
    _ context: inout RequestContext
  ) throws(Interruption) {
    guard let refusal = database.attributes[position].permissions.refusal(of: operation, on: session.security) else {
      return
    }
    try authorize(operation, at: position, session, &application, &context, else: refusal)
  }

  /// Refuses a write by command that the policy forbids. For a value with only signed writes, a signature replaces the permission to write,
  /// and an encrypted link replaces the signature (Core 5.4 Vol 3 Part C 10.4.2). The link must still meet the rest of the requirement.
  func allowCommand<Application: AttributeApplication>(
    at position: Int, _ session: GATTSession, _ application: inout Application, _ context: inout RequestContext
  ) throws(Interruption) {
    let isForSigned = context.isSigned || session.security.protection > .none
    guard isForSigned, database.takesSignedWrites(at: position) else {
      guard !context.isSigned else { throw .refused(.writeNotPermitted, at: database.attributes[position].handle) }
      return try allow(.write, at: position, session, &application, &context)
    }
    var permissions = database.attributes[position].permissions
    permissions.write = permissions.write ?? permissions.signedWrite
    guard let refusal = permissions.refusal(of: .write, on: session.security) else { return }
    try authorize(.write, at: position, session, &application, &context, else: refusal)
  }

  @inline(never)
  private func authorize<Application: AttributeApplication>(
    _ operation: AttributeOperation, at position: Int, _ session: GATTSession, _ application: inout Application,
    _ context: inout RequestContext, else refusal: ATTErrorCode
  ) throws(Interruption) {
    let attribute = database.attributes[position]
    // The policy checks authorization last, so nothing else is missing.
    guard refusal == .insufficientAuthorization, let index = attribute.characteristic,
      database.records[index.position].belongsToApplication
    else { throw .refused(refusal, at: attribute.handle) }
    let question = ApplicationQuestion.authorization(operation, index)
    if let given = context.given(question) {
      if case .error(let error) = given.answer { throw .refused(error, at: attribute.handle) }
      return
    }
    switch application.authorize(operation, of: index, for: session.client, at: context.now) {
    case .granted: context.keep(question, .accepted)
    case .refused: throw .refused(.insufficientAuthorization, at: attribute.handle)
    case .error(let error): throw .refused(error, at: attribute.handle)
    case .ask(let ticket): throw .awaiting(ticket, question, handle: attribute.handle)
    }
  }

  /// Returns the whole value of an attribute for a client that may read it.
  func value<Application: AttributeApplication>(
    at position: Int, for session: GATTSession, application: inout Application, context: inout RequestContext
  ) throws(Interruption) -> [UInt8] {
    try allow(.read, at: position, session, &application, &context)
    switch database.attributes[position].role {
    case .clientConfiguration(let index): return session.configuration(of: index).octets
    case .supportedFeatures: return [session.features.rawValue]
    case .askedValue(let index):
      return try ask(index, at: position, for: session, application: &application, context: &context)
    default:
      if position == hashPosition {
        context.hasReadHash = true
        if let hash = transportHashes[context.transport] { return hash }
      }
      return database.attributes[position].value
    }
  }

  /// Returns the value that the application provides.
  func ask<Application: AttributeApplication>(
    _ index: CharacteristicIndex, at position: Int, for session: GATTSession, application: inout Application,
    context: inout RequestContext
  ) throws(Interruption) -> [UInt8] {
    let handle = database.attributes[position].handle
    if let given = context.given(.read(index)) {
      switch given.answer {
      case .value(let value): return value
      case .error(let error): throw .refused(error, at: handle)
      case .accepted: throw .refused(.unlikelyError, at: handle)
      }
    }
    switch application.read(index, for: session.client, at: context.now) {
    case .value(let value):
      context.keep(.read(index), .value(value))
      return value
    case .error(let error):
      context.keep(.read(index), .error(error))
      throw .refused(error, at: handle)
    case .later(let ticket): throw .awaiting(ticket, .read(index), handle: handle)
    }
  }
}
