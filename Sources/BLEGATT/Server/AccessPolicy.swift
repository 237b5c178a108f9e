import BLEATT
import BLECore

/// An operation of a client on an attribute.
public enum AttributeOperation: Hashable, Sendable, CaseIterable {
  case read, write
}

/// The link security that the server requires to send a value: that of reading the value and of subscribing to it, because a stored
/// configuration does not prove it (Core 5.4 Vol 3 Part C 10.3.1.2). The application decides on authorization.
struct SendingRequirement: Sendable {
  private let reading: AccessRequirement?
  private let subscribing: AccessRequirement?

  init(_ definition: CharacteristicDefinition) {
    (reading, subscribing) = (definition.permissions.read, definition.configurationPermissions.write)
  }

  /// Returns whether a link has this security.
  func allows(_ link: LinkSecurity) -> Bool {
    reading?.shortfall(on: link, isAuthorized: true) == nil
      && subscribing?.shortfall(on: link, isAuthorized: true) == nil
  }
}

extension AttributePermissions {
  /// The one access policy: returns the reason why a client on a link with this security may not perform an operation; nil if it may.
  ///
  /// Permission is checked first, then the security of the link (`AccessRequirement.shortfall`).
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
