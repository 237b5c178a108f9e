import BLECore
import BLESMP

/// A host's security settings for all its links.
public struct SecurityPolicy: Hashable, Sendable {
  /// The policy for pairing. By default the host does not pair.
  public var pairing = PairingPolicy()
  /// When the host requests security on its own.
  public var requests = SecurityRequestTiming.never
  /// The maximum time without an authenticated packet on an encrypted link, 10 ms ... 655.35 s (Core 5.4 Vol 4 Part E 7.3.94); nil for
  /// the controller's default of 30 s.
  public var authenticatedPayloadTimeout: Duration?
  /// The identity address that it distributes to bonded peers; nil for its on-air address.
  public var identityAddress: TypedAddress?
  /// The Identity Resolving Key that it distributes to bonded peers, 16 octets, least significant first; nil if it has none.
  public var identityResolvingKey: [UInt8]?

  /// Creates the policy of a host that does not pair.
  public init() {}
}
