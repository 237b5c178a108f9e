import BLESMP

/// What a host wants of the security of all its links.
public struct SecurityPolicy: Hashable, Sendable {
  /// What it wants of a pairing. By default it does not pair.
  public var pairing = PairingPolicy()
  /// When it asks for security by itself.
  public var requests = SecurityRequestTiming.never
  /// How long an encrypted link may go without an authenticated packet, 10 ms ... 655.35 s (Core 5.4 Vol 4 Part E 7.3.94); nil
  /// leaves it at the controller's 30 s.
  public var authenticatedPayloadTimeout: Duration?
  /// The Identity Resolving Key that it gives to those it bonds with, 16 octets, least significant first; nil when it has none.
  public var identityResolvingKey: [UInt8]?

  /// The policy of a host that does not pair.
  public init() {}
}

/// When a host asks for security by itself: a peripheral by a Security Request (Core 5.4 Vol 3 Part H 2.4.6), a central by
/// pairing, or by encrypting where it has a key.
public enum SecurityRequestTiming: String, Hashable, Sendable, CaseIterable, Codable {
  /// Only when its owner asks it to. Apple's guideline wants accessories to reject an access instead.
  case never
  /// As soon as a link is there.
  case onConnection = "on-connection"
  /// After an access was refused because the link lacks security. A central performs the operation again then.
  case afterRefusal = "after-refusal"
}
