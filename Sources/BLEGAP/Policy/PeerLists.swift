import BLECore
import BLEHCI

/// A device by an address and the kind of that, public or random, as lists of a controller name it.
public struct PeerAddress: Hashable, Sendable {
  /// The address.
  public var address: DeviceAddress
  /// Its kind: public or random.
  public var type: AddressType

  /// A device.
  public init(address: DeviceAddress, type: AddressType) {
    self.address = address
    self.type = type
  }
}

/// An entry of a controller's resolving list (Core 5.4 Vol 4 Part E 7.8.38). Keys have 16 octets, least significant first; zeros
/// stand for none.
package struct ResolvingEntry: Hashable, Sendable {
  /// The identity address of the peer.
  package var peer: PeerAddress
  /// What resolves the addresses of the peer.
  package var peerKey: [UInt8]
  /// What the controller makes this side's addresses with.
  package var localKey: [UInt8]

  /// No key.
  package static let noKey = [UInt8](repeating: 0, count: 16)

  /// An entry.
  package init(peer: PeerAddress, peerKey: [UInt8]?, localKey: [UInt8]?) {
    self.peer = peer
    self.peerKey = peerKey ?? Self.noKey
    self.localKey = localKey ?? Self.noKey
  }
}

/// What a controller has to know of peers: whom advertising sets with a filter answer, and whose private addresses it resolves.
package struct PeerLists: Hashable, Sendable {
  /// The filter accept list.
  package var accepted: [PeerAddress] = []
  /// The resolving list; address resolution is on while it is not empty.
  package var resolved: [ResolvingEntry] = []
  /// How long the controller uses an address that it has made.
  package var rotation = Duration.seconds(15 * 60)

  /// Empty lists, as a controller has them after a reset.
  package init() {}
}
