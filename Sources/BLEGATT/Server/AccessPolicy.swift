import BLEATT
import BLECore

/// What a client wants to do with an attribute.
public enum AttributeOperation: Hashable, Sendable, CaseIterable {
  case read, write
}

/// What the server needs of a link to send a value by itself: what reading the value and subscribing to it need, which a configuration
/// that was kept does not prove (Core 5.4 Vol 3 Part C 10.3.1.2). Whether the client is authorized is the application's to say.
struct SendingRequirement: Sendable {
  private let reading: AccessRequirement?
  private let subscribing: AccessRequirement?

  init(_ definition: CharacteristicDefinition) {
    (reading, subscribing) = (definition.permissions.read, definition.configurationPermissions.write)
  }

  /// Whether a link has that security.
  func allows(_ link: LinkSecurity) -> Bool {
    reading?.shortfall(on: link, isAuthorized: true) == nil
      && subscribing?.shortfall(on: link, isAuthorized: true) == nil
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
