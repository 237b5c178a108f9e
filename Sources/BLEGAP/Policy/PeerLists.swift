import BLECore
import BLEHCI

/// An entry of a controller's resolving list (Core 5.4 Vol 4 Part E 7.8.38). Keys have 16 octets, least significant first; all zeros
/// means no key.
package struct ResolvingEntry: Hashable, Sendable {
  /// The identity address of the peer.
  package var peer: TypedAddress
  /// The key that resolves the peer's addresses.
  package var peerKey: [UInt8]
  /// The key from which the controller generates this side's addresses.
  package var localKey: [UInt8]

  /// The value that means no key.
  package static let noKey = [UInt8](repeating: 0, count: 16)

  /// Creates an entry.
  package init(peer: TypedAddress, peerKey: [UInt8]?, localKey: [UInt8]?) {
    self.peer = peer
    self.peerKey = peerKey ?? Self.noKey
    self.localKey = localKey ?? Self.noKey
  }
}

/// The controller's lists of peers: those that sets with a filter respond to, and those whose private addresses it resolves.
package struct PeerLists: Hashable, Sendable {
  /// The filter accept list.
  package var accepted: [TypedAddress] = []
  /// The resolving list. Address resolution is enabled while it is not empty.
  package var resolved: [ResolvingEntry] = []
  /// How long the controller uses each address that it generates.
  package var rotation = Duration.seconds(15 * 60)

  /// Creates empty lists, as a controller has them after a reset.
  package init() {}
}
