/// The protection of a link. Each level includes the previous ones (LE security mode 1, Core 5.4 Vol 3 Part C 10.2.1).
public enum LinkProtection: UInt8, Comparable, Hashable, Sendable {
  /// Level 1: no security.
  case none = 1
  /// Level 2: encrypted with an unauthenticated key.
  case encrypted
  /// Level 3: encrypted with an authenticated key.
  case authenticated
  /// Level 4: encrypted with an authenticated LE Secure Connections key of 128 bits.
  case secureConnections

  /// Returns whether the left protection is weaker.
  public static func < (left: LinkProtection, right: LinkProtection) -> Bool { left.rawValue < right.rawValue }
}

/// The security of a link when an attribute is accessed or a channel is opened (Core 5.4 Vol 3 Part C 10.2).
public struct LinkSecurity: Hashable, Sendable {
  /// The current protection of the link.
  public var protection: LinkProtection
  /// The size of its encryption key in octets; 0 without encryption.
  public var keySize: Int
  /// Whether both sides share a key that could encrypt the link.
  public var isBonded: Bool

  /// Creates the security of a link.
  public init(protection: LinkProtection, keySize: Int = 0, isBonded: Bool = false) {
    self.protection = protection
    self.keySize = keySize
    self.isBonded = isBonded
  }

  /// A link without encryption to a peer without a bond.
  public static let open = LinkSecurity(protection: .none)
}
