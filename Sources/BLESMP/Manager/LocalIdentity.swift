import BLECore

/// The identity that this side distributes to its peers.
package struct LocalIdentity: Hashable, Sendable {
  /// Its identity address.
  package var address: TypedAddress
  /// Its Identity Resolving Key, 16 octets, least significant first; nil if it has none.
  package var identityResolvingKey: [UInt8]?

  /// Creates an identity.
  package init(address: TypedAddress, identityResolvingKey: [UInt8]? = nil) {
    self.address = address
    self.identityResolvingKey = identityResolvingKey
  }
}
