import BLECore
import BLEGATT
import BLESMP

/// What a host stores about a bonded peer.
public struct BondRecord: Hashable, Codable, Sendable {
  /// The keys, and the peer's identity.
  public var bond: Bond
  /// What the server on this side stores about the peer's client while it is away.
  public var gatt: GATTBondState
  /// What the application on this side stores about the peer, by names that it chooses.
  public var values: [String: [UInt8]] = [:]
  /// The peer's device name, if known.
  public var name: String?
  /// Whether the peer last connected with an address other than its identity address. If so, directed advertising to it uses a private
  /// address as well.
  public var usesPrivateAddress = false
  /// Whether advertising may be directed to its private addresses, according to its Central Address Resolution characteristic (Core 5.4
  /// Vol 3 Part C 12.4); nil until that has been read.
  public var resolvesAddresses: Bool?
  /// When it was last connected, relative to other bonds: greater is later.
  public var recency: UInt32 = 0

  /// Creates a record of a bond.
  public init(bond: Bond, gatt: GATTBondState = GATTBondState(), name: String? = nil) {
    self.bond = bond
    self.gatt = gatt
    self.name = name
  }

  /// The identity of the peer.
  public var peer: TypedAddress { bond.peer }
}
