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
  /// The identity address that it gives to those it bonds with; nil for the address that it uses on the air.
  public var identityAddress: PeerIdentity?
  /// The Identity Resolving Key that it gives to those it bonds with, 16 octets, least significant first; nil when it has none.
  public var identityResolvingKey: [UInt8]?

  /// The policy of a host that does not pair.
  public init() {}
}
