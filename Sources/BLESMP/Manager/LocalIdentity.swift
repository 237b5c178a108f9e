import BLECore

/// What this side tells its peers of itself.
package struct LocalIdentity: Hashable, Sendable {
  /// Its identity address.
  package var address: PeerIdentity
  /// Its Identity Resolving Key, 16 octets, least significant first; nil when it has none.
  package var identityResolvingKey: [UInt8]?

  /// An identity.
  package init(address: PeerIdentity, identityResolvingKey: [UInt8]? = nil) {
    self.address = address
    self.identityResolvingKey = identityResolvingKey
  }
}
