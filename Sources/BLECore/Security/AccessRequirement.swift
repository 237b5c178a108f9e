/// What a link must offer before an attribute may be accessed or a channel opened (Core 5.4 Vol 3 Part C 10.3).
public struct AccessRequirement: Hashable, Sendable {
  /// The least protection of the link.
  public var protection: LinkProtection
  /// The shortest encryption key, in octets, 7...16; 0 when it does not matter.
  public var minimumKeySize: Int
  /// Whether the application or a human must agree.
  public var needsAuthorization: Bool

  /// A requirement.
  public init(protection: LinkProtection = .none, minimumKeySize: Int = 0, needsAuthorization: Bool = false) {
    self.protection = protection
    self.minimumKeySize = minimumKeySize
    self.needsAuthorization = needsAuthorization
  }

  /// Nothing is required.
  public static let open = AccessRequirement()

  /// What a link lacks; each protocol has its own code for it.
  public enum Shortfall: Hashable, Sendable {
    case authentication, encryption, keySize, authorization
  }

  /// The first thing that a link lacks; nil when it offers all that is required.
  ///
  /// The order is that of Core 5.4 Vol 3 Part C 10.3.1: encryption and authentication, key size, authorization. On an open
  /// link authentication is missing without a shared key, which makes a client pair, and encryption with one, which makes it
  /// encrypt, whatever kind of key is asked for (Table 10.2).
  public func shortfall(on link: LinkSecurity, isAuthorized: Bool = false) -> Shortfall? {
    if protection > link.protection {
      return link.isBonded && link.protection == .none ? .encryption : .authentication
    }
    if minimumKeySize > link.keySize && protection > .none { return .keySize }
    return needsAuthorization && !isAuthorized ? .authorization : nil
  }
}
