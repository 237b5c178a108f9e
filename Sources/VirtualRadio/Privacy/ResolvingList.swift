import BLECore
import BLECryptography
import BLEHCI

/// The resolving list and its uses (Core 5.4 Vol 6 Part B 4.7).
struct ResolvingList {
  /// A peer with both sides' keys.
  struct Entry {
    /// The peer's identity address.
    let peer: ListedDevice
    /// Nil for a peer that uses its identity address.
    let peerKey: IdentityResolvingKey?
    /// Nil if this controller uses its own identity address with the peer.
    let localKey: IdentityResolvingKey?
    var mode = PrivacyMode.network
    /// The latest address of the peer that was resolved.
    var heard: DeviceAddress?
    fileprivate var local: MadeAddress?
    fileprivate var target: MadeAddress?

    init(peer: ListedDevice, peerKey: IdentityResolvingKey?, localKey: IdentityResolvingKey?) {
      self.peer = peer
      self.peerKey = peerKey
      self.localKey = localKey
    }
  }

  fileprivate struct MadeAddress {
    var address: DeviceAddress
    var round: Int64
  }

  private(set) var entries: [Entry] = []
  /// Whether received addresses are resolved (Core 5.4 Vol 4 Part E 7.8.44).
  var isResolving = false
  var rotation = AddressRotation()
  /// Addresses that no peer's key resolves, so that each advertiser in a crowd costs only one attempt.
  private var unresolved: Set<DeviceAddress> = []
  private static let unresolvedLimit = 512

  // MARK: Entries

  func index(of device: ListedDevice) -> Int? { entries.firstIndex { $0.peer == device } }

  /// Returns whether the list can take another entry. Identity addresses and peer keys must be unique.
  func accepts(_ entry: Entry) -> Bool {
    !entries.contains { $0.peer == entry.peer || ($0.peerKey != nil && $0.peerKey == entry.peerKey) }
  }

  mutating func append(_ entry: Entry) {
    unresolved.removeAll()
    entries.append(entry)
  }

  mutating func remove(at index: Int) { entries.remove(at: index) }

  mutating func removeAll() { entries.removeAll() }

  mutating func setMode(_ mode: PrivacyMode, at index: Int) { entries[index].mode = mode }

  // MARK: Resolving

  /// Returns the entry of the peer that generated an address. Stores it as the peer's current address.
  mutating func resolve(_ address: DeviceAddress) -> Int? {
    guard address.isResolvablePrivate, !unresolved.contains(address) else { return nil }
    if let index = entries.firstIndex(where: { $0.heard == address }) { return index }
    guard let index = entries.firstIndex(where: { $0.peerKey?.resolves(address) == true }) else {
      if unresolved.count >= Self.unresolvedLimit { unresolved.removeAll() }
      unresolved.insert(address)
      return nil
    }
    entries[index].heard = address
    return index
  }

  /// Returns whether an address was generated with the local key for the peer of an entry, or for any peer if none is known.
  func isOwn(_ address: DeviceAddress, towards entry: Int?) -> Bool {
    guard address.isResolvablePrivate else { return false }
    if let entry { return entries[entry].localKey?.resolves(address) ?? false }
    return Set(entries.compactMap(\.localKey)).contains { $0.resolves(address) }
  }

  // MARK: Generating addresses

  /// Returns this side's resolvable private address for the peer of an entry; nil without a key.
  mutating func localAddress(at index: Int, now: Instant, random: inout SplitMix64) -> DeviceAddress? {
    let round = rotation.round(at: now)
    return Self.renew(&entries[index].local, entries[index].localKey, round, &random)
  }

  /// Returns a resolvable private address that the peer of an entry recognizes as its own; nil without a key.
  mutating func targetAddress(at index: Int, now: Instant, random: inout SplitMix64) -> DeviceAddress? {
    let round = rotation.round(at: now)
    return Self.renew(&entries[index].target, entries[index].peerKey, round, &random)
  }

  private static func renew(
    _ made: inout MadeAddress?, _ key: IdentityResolvingKey?, _ round: Int64, _ random: inout SplitMix64
  ) -> DeviceAddress? {
    guard let key else { return nil }
    if let made, made.round == round { return made.address }
    let address = key.makeAddress(random: &random)
    made = MadeAddress(address: address, round: round)
    return address
  }
}
