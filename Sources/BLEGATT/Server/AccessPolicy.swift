import BLEATT
import BLECore

/// What a client wants to do with an attribute.
public enum AttributeOperation: Hashable, Sendable, CaseIterable {
  case read, write
}

extension CharacteristicDefinition {
  /// Whether the server may send the value by itself on a link with that security: it must offer what reading the value and
  /// subscribing to it need, which a configuration that was kept does not prove (Core 5.4 Vol 3 Part C 10.3.1.2). Whether the client is
  /// authorized is the application's to say.
  func maySend(on link: LinkSecurity) -> Bool {
    permissions.read?.shortfall(on: link, isAuthorized: true) == nil
      && configurationPermissions.write?.shortfall(on: link, isAuthorized: true) == nil
  }
}

extension AttributePermissions {
  /// The one access policy: why a client on a link with that security may not do that; nil when it may.
  ///
  /// Whether it is permitted at all comes first, then what the link lacks (`AccessRequirement.shortfall`).
  public func refusal(
    of operation: AttributeOperation, on link: LinkSecurity, isAuthorized: Bool = false
  ) -> ATTErrorCode? {
    let requirement = operation == .read ? read : write
    guard let requirement else { return operation == .read ? .readNotPermitted : .writeNotPermitted }
    return switch requirement.shortfall(on: link, isAuthorized: isAuthorized) {
    case .authentication: .insufficientAuthentication
    case .encryption: .insufficientEncryption
    case .keySize: .encryptionKeySizeTooShort
    case .authorization: .insufficientAuthorization
    case nil: nil
    }
  }
}
