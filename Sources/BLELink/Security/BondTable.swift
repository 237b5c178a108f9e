import BLECore
import BLECryptography
import BLESMP

/// The bonds of a host, with one record for each peer. Keys, counters and the stored state of a client exist only here: a peer can have two
/// links, which refer to its record.
struct BondTable: Sendable {
  /// The records, in no particular order.
  var records: [BondRecord] = [] { didSet { isKnownToRole = false } }
  /// Whether the role has these bonds and knows which of their peers are connected.
  var isKnownToRole = true

  /// The number of bonds.
  var count: Int { records.count }

  // MARK: - Finding

  /// The record of the peer with that identity.
  subscript(peer: TypedAddress) -> BondRecord? { records.first { $0.peer == peer } }

  /// Finds the bond of a peer by the address of its connection: its identity address, or a private address that its key resolves (Core 5.4
  /// Vol 3 Part C 10.3.1.2, 10.7). The peer proves its identity by encrypting the link.
  func record(connectedFrom address: TypedAddress) -> BondRecord? {
    self[address]
      ?? records.first { address.isRandom && ($0.bond.resolvingKey?.resolves(address.address) ?? false) }
  }

  /// Finds the bond of a peer by the EDIV and Rand of its key (Core 5.4 Vol 3 Part H 2.4.4.1).
  func record(random: UInt64, diversifier: UInt16) -> BondRecord? {
    guard random != 0 || diversifier != 0 else { return nil }
    return records.first {
      $0.bond.keyAsPeripheral?.random == random && $0.bond.keyAsPeripheral?.diversifier == diversifier
    }
  }

  /// The strength of each bond's key.
  var strengths: [TypedAddress: KeyStrength] { Dictionary(records.map { ($0.peer, $0.bond.strength) }) { $1 } }

  /// The records, the most recent peer first.
  var byRecency: [BondRecord] { records.sorted { $0.recency > $1.recency } }

  // MARK: - Changing

  /// Stores a record, replacing an earlier one of that peer.
  mutating func keep(_ record: BondRecord) {
    if let place = records.firstIndex(where: { $0.peer == record.peer }) {
      records[place] = record
    } else {
      records.append(record)
    }
  }

  /// Removes the bond with a peer; returns whether there was one.
  mutating func remove(_ peer: TypedAddress) -> Bool {
    let before = records.count
    records.removeAll { $0.peer == peer }
    return records.count < before
  }

  /// The recency of the next peer that connects.
  var nextRecency: UInt32 { records.reduce(0) { max($0, $1.recency) } &+ 1 }

  /// Returns the record of a peer after it has connected, from its identity address or from a private one. If it was already the most
  /// recent peer, its recency is unchanged.
  func visited(_ record: BondRecord, usesPrivateAddress: Bool) -> BondRecord {
    var record = record
    if records.contains(where: { $0.peer != record.peer && $0.recency >= record.recency }) {
      record.recency = nextRecency
    }
    record.usesPrivateAddress = usesPrivateAddress
    return record
  }

  /// Returns the peers whose bonds exceed a limit, except for one that stays: those of peers that are not connected first, and among these
  /// the least recent first.
  func peers(beyond limit: Int, keeping peer: TypedAddress, connected: Set<TypedAddress>) -> [TypedAddress] {
    guard count > limit else { return [] }
    let candidates = records.filter { $0.peer != peer }.sorted {
      (connected.contains($0.peer) ? 1 : 0, $0.recency) < (connected.contains($1.peer) ? 1 : 0, $1.recency)
    }
    return candidates.prefix(count - limit).map(\.peer)
  }
}

extension Bond {
  /// Returns the bond with the link key of an earlier bond with the same peer, unless it has its own. A derived key does not replace a stronger
  /// one (Core 5.4 Vol 3 Part C 14.1).
  func keepingLinkKey(of old: Bond?) -> Bond {
    guard let old, let key = old.linkKey, key != linkKey else { return self }
    let (ownStrength, oldStrength) = (linkKeyStrength ?? strength, old.linkKeyStrength ?? old.strength)
    let isDerived = linkKeyStrength == nil
    guard linkKey == nil || (isDerived && !ownStrength.isAtLeast(oldStrength)) else { return self }
    var bond = self
    bond.linkKey = key
    bond.linkKeyStrength = oldStrength
    return bond
  }

  /// The key that resolves the peer's private addresses.
  var resolvingKey: IdentityResolvingKey? { identityResolvingKey.flatMap { IdentityResolvingKey($0) } }
}
