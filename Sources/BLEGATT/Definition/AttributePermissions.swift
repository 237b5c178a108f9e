/// Who may read and write an attribute (Core 5.4 Vol 3 Part F 3.2.5). Invisible to clients.
public struct AttributePermissions: Hashable, Sendable {
  /// What a reader must fulfil; nil when nobody may read.
  public var read: AccessRequirement?
  /// What a writer must fulfil; nil when nobody may write.
  public var write: AccessRequirement?

  /// Permissions with these requirements.
  public init(read: AccessRequirement?, write: AccessRequirement?) {
    self.read = read
    self.write = write
  }

  /// Anyone may read, nobody may write.
  public static let readable = AttributePermissions(read: .open, write: nil)
  /// Anyone may read and write.
  public static let readableAndWritable = AttributePermissions(read: .open, write: .open)
}

/// What a link must offer before an attribute may be accessed (Core 5.4 Vol 3 Part C 10.3).
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
}

/// How well a link is protected, each step including those before (LE security mode 1, Core 5.4 Vol 3 Part C 10.2.1).
public enum LinkProtection: UInt8, Comparable, Hashable, Sendable {
  /// Level 1: no security.
  case none = 1
  /// Level 2: encrypted with an unauthenticated key.
  case encrypted
  /// Level 3: encrypted with an authenticated key.
  case authenticated
  /// Level 4: encrypted with an authenticated LE Secure Connections key of 128 bits.
  case secureConnections

  public static func < (left: LinkProtection, right: LinkProtection) -> Bool { left.rawValue < right.rawValue }
}
