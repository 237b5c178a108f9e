/// The link security required to access an attribute or open a channel (Core 5.4 Vol 3 Part C 10.3).
public struct AccessRequirement: Hashable, Sendable {
  /// The minimum protection of the link.
  public var protection: LinkProtection
  /// The minimum encryption key size, in octets, 7...16; 0 for any.
  public var minimumKeySize: Int
  /// Whether the application or a person must agree.
  public var needsAuthorization: Bool

  /// Creates a requirement.
  public init(protection: LinkProtection = .none, minimumKeySize: Int = 0, needsAuthorization: Bool = false) {
    self.protection = protection
    self.minimumKeySize = minimumKeySize
    self.needsAuthorization = needsAuthorization
  }

  /// No requirement.
  public static let open = AccessRequirement()

  /// The security that a link lacks. Each protocol has its own code for it.
  public enum Shortfall: Hashable, Sendable {
    case authentication, encryption, keySize, authorization
  }

  /// Returns the first requirement that a link does not meet; nil if it meets all.
  ///
  /// The order is that of Core 5.4 Vol 3 Part C 10.3.1: encryption and authentication, key size, authorization. On an unencrypted link, the
  /// result is `authentication` without a shared key, so that the client pairs, and `encryption` with one, so that it encrypts, whatever
  /// kind of key is required (Table 10.2).
  public func shortfall(on link: LinkSecurity, isAuthorized: Bool = false) -> Shortfall? {
    if protection > link.protection {
      return link.isBonded && link.protection == .none ? .encryption : .authentication
    }
    if minimumKeySize > link.keySize && protection > .none { return .keySize }
    return needsAuthorization && !isAuthorized ? .authorization : nil
  }
}
