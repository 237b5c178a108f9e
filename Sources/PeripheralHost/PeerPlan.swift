import BLECore
import BLEGAP
import BLELink
import BLESMP

/// What bonded centrals are to advertising: whom directed sets call, whom others answer, and what the controller's lists have to
/// hold for that and for private addresses that it makes itself.
struct PeerPlan: Sendable {
  private let sets: [AdvertisingSetDefinition]
  /// The bonds, the one that was here last in front.
  private var peers: [BondedPeer] = []
  /// The private addresses by which centrals are called.
  private var targets: [PeerAddress: DeviceAddress] = [:]
  /// How many entries the controller's lists have; zero for none.
  var acceptListSize = 0
  var resolvingListSize = 0
  /// The key with which the controller makes private addresses; nil where it makes none.
  var controllerKey: IdentityResolvingKey?
  /// After which time it makes new ones.
  var rotation = Duration.seconds(15 * 60)

  init(_ sets: [AdvertisingSetDefinition]) { self.sets = sets }

  /// Whether sets have to do with bonds.
  var isNeeded: Bool { callsSomebody || filters }
  /// Whether there are directed sets.
  var callsSomebody: Bool { sets.contains { $0.target != nil } }
  private var filters: Bool { sets.contains(where: \.filters) }

  mutating func take(_ peers: [BondedPeer]) { self.peers = peers }

  // MARK: - Whom sets call

  /// Makes new private addresses for those that are called by one, or those that are missing.
  mutating func makeTargets(anew: Bool, random: inout any RandomNumberGenerator & Sendable) {
    if anew { targets = [:] }
    guard callsSomebody, controllerKey == nil else { return }
    for peer in peers where peer.usesPrivateAddress && peer.canBeCalled && targets[peer.address] == nil {
      targets[peer.address] = peer.resolvingKey?.makeAddress(random: &random)
    }
  }

  /// Whom directed sets call, by their names; those that have somebody.
  var targetsBySet: [String: PeerAddress] {
    var result: [String: PeerAddress] = [:]
    for set in sets { result[set.id] = target(of: set) }
    return result
  }

  private func target(of set: AdvertisingSetDefinition) -> PeerAddress? {
    let peer: BondedPeer?
    switch set.target {
    case .latest: peer = peers.first(where: \.canBeCalled)
    case .peer(let address): peer = peers.first { $0.address.address == address && $0.canBeCalled }
    case nil: return nil
    }
    // A controller that makes addresses makes this one too, by its resolving list (Core 5.4 Vol 4 Part E 7.8.5).
    guard let peer else { return nil }
    guard controllerKey == nil, let address = targets[peer.address] else { return peer.address }
    return PeerAddress(address: address, type: .random)
  }

  // MARK: - Whom sets answer

  /// Why the controller cannot keep sets to bonded centrals; nil where it can, or need not.
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

  /// How many bonded centrals the controller can keep sets to, whatever addresses they use; nil where it need not, or cannot at all.
  var filterLimit: Int? {
    guard filters, acceptListSize > 0 else { return nil }
    let room = resolvingListSize - (controllerKey == nil ? 0 : 1)
    return room > 0 ? min(acceptListSize, room) : acceptListSize
  }

  /// What the controller's lists are to hold.
  var lists: PeerLists {
    var lists = PeerLists()
    let isFiltering = filters && filterObstacle == nil
    if isFiltering { lists.accepted = peers.map(\.address) }
    guard isFiltering || controllerKey != nil else { return lists }
    lists.rotation = rotation
    // Advertising that is for everybody names this entry as that of its peer.
    if let controllerKey {
      lists.resolved.append(
        ResolvingEntry(
          peer: PeerAddress(address: .zero, type: .publicDevice), peerKey: nil, localKey: controllerKey.octets))
    }
    for peer in peers {
      // A central that does not hide is not called by a private address.
      let peerKey = isFiltering || peer.usesPrivateAddress ? peer.resolvingKey?.octets : nil
      guard peerKey != nil || (controllerKey != nil && callsSomebody) else { continue }
      guard lists.resolved.count < resolvingListSize else { break }
      lists.resolved.append(ResolvingEntry(peer: peer.address, peerKey: peerKey, localKey: controllerKey?.octets))
    }
    return lists
  }
}
