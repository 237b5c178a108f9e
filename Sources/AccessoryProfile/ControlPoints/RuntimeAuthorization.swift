import BLEATT
import BLECore
import BLEGATT

extension ProfileRuntime {
  package mutating func authorize(
    _ operation: AttributeOperation, of characteristic: CharacteristicIndex, for client: ClientID, at now: Instant
  ) -> AuthorizationAnswer {
    guard let (scope, policy) = authorization(of: characteristic) else { return .refused }
    if isAuthorized(client, scope, policy) { return .granted }
    guard policy.state == .ask else { return .error(policy.error) }
    return askAuthorization(operation, of: characteristic, policy, for: client, at: now)
  }

  package func maySend(_ characteristic: CharacteristicIndex, to client: ClientID) -> Bool {
    guard let (scope, policy) = authorization(of: characteristic) else { return true }
    return isAuthorized(client, scope, policy)
  }

  func authorization(
    of characteristic: CharacteristicIndex
  ) -> (scope: AuthorizationScope, policy: AuthorizationPolicy)? {
    guard behaviors.indices.contains(characteristic.position),
      let scope = behaviors[characteristic.position].authorization, let policy = authorizations[scope]
    else { return nil }
    return (scope, policy)
  }

  func isAuthorized(_ client: ClientID, _ scope: AuthorizationScope, _ policy: AuthorizationPolicy) -> Bool {
    switch policy.state {
    case .granted: true
    case .ask, .pending, .denied, .revoked: authorized.contains(AuthorizedClient(client: client, scope: scope))
    }
  }

  /// Records that a client is authorized, and answers its other questions for the same scope.
  mutating func authorize(
    _ client: ClientID, as characteristic: CharacteristicIndex, at now: Instant
  ) -> [ApplicationAction] {
    guard let (scope, _) = authorization(of: characteristic) else { return [] }
    authorized.insert(AuthorizedClient(client: client, scope: scope))
    var actions: [ApplicationAction] = []
    for question in questions.questions where question.client == client {
      guard case .authorization(_, let other) = question.kind, behaviors[other.position].authorization == scope else {
        continue
      }
      actions += answer(question, with: .accepted, at: now)
    }
    return actions
  }

  /// Grants or withdraws the authorization for a service; without a service, for all services that need one.
  @discardableResult
  package mutating func setAuthorization(
    _ state: AuthorizationState, of service: String? = nil, at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    if let service { return try setAuthorization(state, of: .service(service), at: now) }
    var actions: [ApplicationAction] = []
    for scope in authorizations.keys.sorted(by: { $0.id < $1.id }) {
      if case .service = scope { actions += try setAuthorization(state, of: scope, at: now) }
    }
    return actions
  }

  /// Grants or withdraws an authorization. After a withdrawal, clients get no more values, although they stay subscribed. After a grant,
  /// subscribers are informed of existing records. Earlier answers for individual clients are discarded, and open questions are answered
  /// with the new state. Returns the actions for the host.
  ///
  /// - Throws: If nothing with that scope needs authorization.
  @discardableResult
  package mutating func setAuthorization(
    _ state: AuthorizationState, of scope: AuthorizationScope, at now: Instant
  ) throws(ProfileValueError) -> [ApplicationAction] {
    guard let before = authorizations[scope] else { throw unknownScope(scope) }
    let characteristics = characteristics(in: scope)
    let couldBefore = sessions.map { isAuthorized($0.client, scope, before) }
    var policy = before
    policy.state = state
    authorizations[scope] = policy
    authorized = authorized.filter { $0.scope != scope }
    for index in sessions.indices {
      let canNow = isAuthorized(sessions[index].client, scope, policy)
      if couldBefore[index] != canNow { authorizationChanged(canNow, of: characteristics, for: index) }
    }
    updateMessages()
    return state == .ask ? [] : answerAuthorizations(of: characteristics, policy, at: now)
  }

  /// Grants an authorization to one client, or withdraws it, whatever the others have. It lasts until the client leaves or the state for all
  /// clients is set. A service that needs no authorization is ignored.
  package mutating func setAuthorization(_ isGranted: Bool, of service: String, for client: ClientID) {
    let scope = AuthorizationScope.service(service)
    let key = AuthorizedClient(client: client, scope: scope)
    guard authorizations[scope] != nil, authorized.contains(key) != isGranted else { return }
    if isGranted { authorized.insert(key) } else { authorized.remove(key) }
    authorizationChanged(isGranted, of: characteristics(in: scope), for: sessionIndex(of: client))
    updateMessages()
  }

  /// Informs a client of existing records after a grant. After a withdrawal, drops what it has yet to get.
  private mutating func authorizationChanged(
    _ isGranted: Bool, of characteristics: [CharacteristicIndex], for session: Int
  ) {
    for characteristic in characteristics {
      if isGranted {
        announceExisting(on: characteristic, to: session)
      } else {
        sessions[session].forget(characteristic)
      }
    }
  }

  private func characteristics(in scope: AuthorizationScope) -> [CharacteristicIndex] {
    behaviors.indices.filter { behaviors[$0].authorization == scope }.map { CharacteristicIndex($0) }
  }

  /// Answers the open questions that a decision for all clients has made unnecessary.
  private mutating func answerAuthorizations(
    of characteristics: [CharacteristicIndex], _ policy: AuthorizationPolicy, at now: Instant
  ) -> [ApplicationAction] {
    var actions: [ApplicationAction] = []
    for question in questions.questions {
      guard case .authorization(_, let characteristic) = question.kind, characteristics.contains(characteristic) else {
        continue
      }
      actions += answer(question, with: policy.state == .granted ? .accepted : .error(policy.error), at: now)
    }
    return actions
  }

  private func unknownScope(_ scope: AuthorizationScope) -> ProfileValueError {
    let kind = if case .service = scope { "service" } else { "characteristic" }
    let known = authorizations.keys.filter { other in
      if case .service = scope, case .service = other { return true }
      if case .characteristic = scope, case .characteristic = other { return true }
      return false
    }
    guard !known.isEmpty else { return ProfileValueError("no \(kind) of this accessory needs authorization") }
    let hint = Spelling.hint(for: scope.id, among: known.map(\.id).sorted())
    return ProfileValueError("there is no \(kind) '\(scope.id)' that needs authorization\(hint)")
  }
}
