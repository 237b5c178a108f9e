import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// Requires authorization for every access to a service's characteristics and their configurations. Characteristics with an authorization
  /// of their own keep it.
  mutating func authorize(
    _ node: SyntaxNode, _ service: String, _ definitions: inout [CharacteristicDefinition]
  ) {
    guard let policy = authorizationPolicy(node) else { return }
    authorizations[.service(service)] = policy
    let first = characteristics.count - definitions.count
    for index in definitions.indices where characteristics[first + index].behavior.authorization == nil {
      definitions[index].needAuthorization()
      characteristics[first + index].behavior.authorization = .service(service)
    }
  }

  /// Requires authorization for every access to a characteristic and its configuration.
  mutating func authorize(_ node: SyntaxNode, _ definition: inout CharacteristicDefinition) {
    guard let policy = authorizationPolicy(node), let last = characteristics.indices.last else { return }
    authorizations[.characteristic(definition.id)] = policy
    definition.needAuthorization()
    characteristics[last].behavior.authorization = .characteristic(definition.id)
  }

  private mutating func authorizationPolicy(_ node: SyntaxNode) -> AuthorizationPolicy? {
    let words = Language.authorization.words(of: "state")
    guard node.pairs != nil else {
      return oneOf(node, words).flatMap { AuthorizationState(rawValue: $0) }.map { AuthorizationPolicy(state: $0) }
    }
    guard let keys = keys(node, Language.authorization), let stateNode = keys["state"],
      let state = oneOf(stateNode, words).flatMap({ AuthorizationState(rawValue: $0) })
    else { return nil }
    var policy = AuthorizationPolicy(state: state)
    if let error = keys["error"], let code = errorCode(error) { policy.error = code }
    if let within = keys["within"], let limit = answerDelay(within) { policy.limit = limit }
    return policy
  }

  /// Reads the table that a characteristic announces to its subscribers.
  mutating func announcedTable(_ node: SyntaxNode, _ properties: CharacteristicProperties) -> String? {
    guard let word = oneOf(node, [NotificationTable.id]), let table = table(node) else { return nil }
    if !properties.contains(.notify) {
      error(node, "'\(word)' are announced by notifications, but the properties lack 'notify'")
    }
    return table.id
  }
}

extension CharacteristicDefinition {
  fileprivate mutating func needAuthorization() {
    permissions.read?.needsAuthorization = true
    permissions.write?.needsAuthorization = true
    configurationPermissions.read?.needsAuthorization = true
    configurationPermissions.write?.needsAuthorization = true
  }
}
