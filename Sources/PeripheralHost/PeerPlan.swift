import BLECore
import BLECryptography
import BLEGAP
import BLELink

/// How advertising depends on bonded centrals: the targets of directed sets, the devices that other sets respond to, and the contents of
/// the controller's lists for that and for private addresses that it generates itself.
struct PeerPlan: Sendable {
  private let sets: [AdvertisingSetDefinition]
  /// The bonds, the most recently connected peer first.
  private var peers: [BondedPeer] = []
  /// The private addresses of the targets of directed sets.
  private var targets: [TypedAddress: DeviceAddress] = [:]
  /// The sizes of the controller's lists; zero if it has none.
  var acceptListSize = 0
  var resolvingListSize = 0
  /// The key with which the controller generates private addresses; nil if it generates none.
  var controllerKey: IdentityResolvingKey?
  /// How long the controller uses each address.
  var rotation = Duration.seconds(15 * 60)

  init(_ sets: [AdvertisingSetDefinition]) { self.sets = sets }

  /// Whether any set depends on bonds.
  var isNeeded: Bool { callsSomebody || filters }
  /// Whether there are directed sets.
  var callsSomebody: Bool { sets.contains { $0.target != nil } }
  private var filters: Bool { sets.contains(where: \.filters) }

  mutating func take(_ peers: [BondedPeer]) { self.peers = peers }

  // MARK: - Targets

  /// Generates private addresses for the centrals that use them: for all with `anew`, otherwise for those that have none yet.
  mutating func makeTargets(anew: Bool, random: inout any RandomNumberGenerator & Sendable) {
    if anew { targets = [:] }
    guard callsSomebody, controllerKey == nil else { return }
    for peer in peers where peer.usesPrivateAddress && peer.canBeCalled && targets[peer.address] == nil {
      targets[peer.address] = peer.resolvingKey?.makeAddress(random: &random)
    }
  }

  /// The targets of directed sets, by set name, without sets that have no target.
  var targetsBySet: [String: TypedAddress] {
    var result: [String: TypedAddress] = [:]
    for set in sets { result[set.id] = target(of: set) }
    return result
  }

  private func target(of set: AdvertisingSetDefinition) -> TypedAddress? {
    let peer: BondedPeer?
    switch set.target {
    case .latest: peer = peers.first(where: \.canBeCalled)
    case .peer(let address): peer = peers.first { $0.address.address == address && $0.canBeCalled }
    case nil: return nil
    }
    // A controller that generates addresses generates this one too, from its resolving list (Core 5.4 Vol 4 Part E 7.8.5).
    guard let peer else { return nil }
    guard controllerKey == nil, let address = targets[peer.address] else { return peer.address }
    return TypedAddress(address: address, isRandom: true)
  }

  // MARK: - Filters

  /// Why the controller cannot restrict sets to bonded centrals; nil if it can or need not.
  var filterObstacle: String? {
    guard filters else { return nil }
    if peers.count > acceptListSize {
      return acceptListSize == 0
        ? "the controller has no filter accept list"
        : "the controller's filter accept list holds \(acceptListSize), but there are \(peers.count) bonds"
    }
    let hidden = peers.count { $0.resolvingKey != nil }
    let room = resolvingListSize - (controllerKey == nil ? 0 : 1)
    if hidden > room {
      return resolvingListSize == 0
        ? "the controller has no resolving list, and bonded centrals use private addresses"
        : "the controller's resolving list holds \(resolvingListSize), and \(hidden) bonded centrals use private addresses"
    }
    return nil
  }

  /// The maximum number of bonded centrals to which the controller can restrict sets, whatever addresses they use; nil if it need not or
  /// cannot.
  var filterLimit: Int? {
    guard filters, acceptListSize > 0 else { return nil }
    let room = resolvingListSize - (controllerKey == nil ? 0 : 1)
    return room > 0 ? min(acceptListSize, room) : acceptListSize
  }

  /// The wanted contents of the controller's lists.
  var lists: PeerLists {
    var lists = PeerLists()
    let isFiltering = filters && filterObstacle == nil
    if isFiltering { lists.accepted = peers.map(\.address) }
    guard isFiltering || controllerKey != nil else { return lists }
    lists.rotation = rotation
    // Undirected advertising uses this entry as its peer.
    if let controllerKey {
      lists.resolved.append(
        ResolvingEntry(
          peer: TypedAddress(address: .zero, isRandom: false), peerKey: nil, localKey: controllerKey.octets))
    }
    for peer in peers {
      // A central without privacy is not called by a private address.
      let peerKey = isFiltering || peer.usesPrivateAddress ? peer.resolvingKey?.octets : nil
      guard peerKey != nil || (controllerKey != nil && callsSomebody) else { continue }
      guard lists.resolved.count < resolvingListSize else { break }
      lists.resolved.append(ResolvingEntry(peer: peer.address, peerKey: peerKey, localKey: controllerKey?.octets))
    }
    return lists
  }
}
