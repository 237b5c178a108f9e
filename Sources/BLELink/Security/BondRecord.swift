import BLEGATT
import BLESMP

/// All that a host keeps of a peer with which it has bonded: a value for a store.
public struct BondRecord: Hashable, Codable, Sendable {
  /// The keys, and whose they are.
  public var bond: Bond
  /// What the server on this side keeps of the peer's client while it is away.
  public var gatt: GATTBondState
  /// What the application on this side keeps of the peer, by names that it has chosen.
  public var values: [String: [UInt8]] = [:]
  /// The peer's device name, where it is known.
  public var name: String?
  /// Whether the peer had another address than that of its identity on the air when it was last here: where a private one, it is to be
  /// called by such a one too.
  public var usesPrivateAddress = false
  /// Whether advertising may be directed to its private addresses, which its Central Address Resolution characteristic says (Core 5.4
  /// Vol 3 Part C 12.4); nil as long as that has not been read.
  public var resolvesAddresses: Bool?
  /// When it was last here, in comparison with the other bonds: the later, the greater.
  public var recency: UInt32 = 0

  /// A record of a bond.
  public init(bond: Bond, gatt: GATTBondState = GATTBondState(), name: String? = nil) {
    self.bond = bond
    self.gatt = gatt
    self.name = name
  }

  /// Whose it is.
  public var peer: PeerIdentity { bond.peer }
}
