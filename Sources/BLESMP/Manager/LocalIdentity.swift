import BLECore

/// What this side tells its peers of itself.
public struct LocalIdentity: Hashable, Sendable {
  /// Its identity address.
  public var address: PeerIdentity
  /// Its Identity Resolving Key, 16 octets, least significant first; nil when it has none.
  public var identityResolvingKey: [UInt8]?

  /// An identity.
  public init(address: PeerIdentity, identityResolvingKey: [UInt8]? = nil) {
    self.address = address
    self.identityResolvingKey = identityResolvingKey
  }
}
