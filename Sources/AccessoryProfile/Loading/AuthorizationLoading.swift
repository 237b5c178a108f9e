import BLEATT
import BLECore
import BLEGATT

extension ProfileLoader {
  /// Makes every access to a service's characteristics, and to their configurations, need authorization.
  mutating func authorize(
    _ node: SyntaxNode, _ service: String, _ definitions: inout [CharacteristicDefinition]
  ) {
    guard let policy = authorizationPolicy(node) else { return }
    authorizations[service] = policy
    let first = characteristics.count - definitions.count
    for index in definitions.indices {
      definitions[index].permissions.read?.needsAuthorization = true
      definitions[index].permissions.write?.needsAuthorization = true
      definitions[index].configurationPermissions.read?.needsAuthorization = true
      definitions[index].configurationPermissions.write?.needsAuthorization = true
      characteristics[first + index].behavior.authorizedService = service
    }
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
    return policy
  }

  /// The table of which a characteristic tells its subscribers.
  mutating func announcedTable(_ node: SyntaxNode, _ properties: CharacteristicProperties) -> String? {
    guard let word = oneOf(node, [NotificationTable.id]), let table = table(node) else { return nil }
    if !properties.contains(.notify) {
      error(node, "'\(word)' are announced by notifications; the properties lack 'notify'")
    }
    return table.id
  }
}
