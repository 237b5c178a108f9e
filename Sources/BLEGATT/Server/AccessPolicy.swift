import BLEATT

/// What a link offers when an attribute is accessed (Core 5.4 Vol 3 Part C 10.2).
public struct LinkSecurity: Hashable, Sendable {
  /// How well the link is protected now.
  public var protection: LinkProtection
  /// The length of its encryption key in octets; 0 without encryption.
  public var keySize: Int
  /// Whether both sides share a key that could encrypt the link.
  public var isBonded: Bool

  /// A link's security.
  public init(protection: LinkProtection, keySize: Int = 0, isBonded: Bool = false) {
    self.protection = protection
    self.keySize = keySize
    self.isBonded = isBonded
  }

  /// A link without encryption to a peer without a bond.
  public static let open = LinkSecurity(protection: .none)
}

/// What a client wants to do with an attribute.
public enum AttributeOperation: Hashable, Sendable, CaseIterable {
  case read, write
}

extension AttributePermissions {
  /// The one access policy: why a client on a link with that security may not do that; nil when it may.
  ///
  /// The order is that of Core 5.4 Vol 3 Part F 4 and Part C 10.3.1: permitted at all, encryption and authentication, key
  /// size, authorization. On an open link the answer is Insufficient Authentication without a shared key, which makes a client
  /// pair, and Insufficient Encryption with one, which makes it encrypt, whatever kind of key is asked for (Table 10.2).
  public func refusal(
    of operation: AttributeOperation, on link: LinkSecurity, isAuthorized: Bool = false
  ) -> ATTErrorCode? {
    let requirement = operation == .read ? read : write
    guard let requirement else { return operation == .read ? .readNotPermitted : .writeNotPermitted }
    if requirement.protection > link.protection {
      let couldEncrypt = link.isBonded && link.protection == .none
      return couldEncrypt ? .insufficientEncryption : .insufficientAuthentication
    }
    if requirement.minimumKeySize > link.keySize && requirement.protection > .none {
      return .encryptionKeySizeTooShort
    }
    return requirement.needsAuthorization && !isAuthorized ? .insufficientAuthorization : nil
  }
}
