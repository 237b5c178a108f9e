import BLECore
import BLEHCI

// A controller's own addresses, and the devices behind the addresses of others (Core 5.4 Vol 6 Part B 6).
extension VirtualController {
  // MARK: Own addresses

  /// Returns the identity address of this type; nil for a random one that was never set.
  func identityAddress(_ type: OwnAddressType, random: DeviceAddress?) -> OwnAddress? {
    switch type {
    case .publicDevice, .resolvableOrPublic: OwnAddress(type: .publicDevice, address: publicAddress)
    default: random.map { OwnAddress(type: .random, address: $0) }
    }
  }

  /// Returns the address of this type towards a peer or none. If the resolving list has no local key for the peer, the types with
  /// resolvable private addresses fall back to the identity address (Core 5.4 Vol 4 Part E 7.8.5). Nil for a random address that was never
  /// set.
  func ownAddress(_ type: OwnAddressType, random: DeviceAddress?, towards peer: ListedDevice? = nil) -> OwnAddress? {
    if type == .resolvableOrPublic || type == .resolvableOrRandom, let peer,
      let entry = state.resolvingList.index(of: peer), let address = resolvableAddress(towards: entry)
    {
      return OwnAddress(type: .random, address: address, isMade: true)
    }
    return identityAddress(type, random: random)
  }

  /// Returns the current resolvable private address towards the peer of an entry; nil without a local key.
  func resolvableAddress(towards entry: Int) -> DeviceAddress? {
    state.resolvingList.localAddress(at: entry, now: air.now, random: &random)
  }

  /// Returns the target address of a set's directed advertising: the one from the host, or one generated with the peer's key (Core 5.4 Vol
  /// 4 Part E 7.8.5).
  func target(of parameters: AdvertisingParameters) -> OwnAddress {
    let peer = parameters.peer
    if parameters.ownAddressType.rawValue >= OwnAddressType.resolvableOrPublic.rawValue,
      let entry = state.resolvingList.index(of: peer),
      let address = state.resolvingList.targetAddress(at: entry, now: air.now, random: &random)
    {
      return OwnAddress(type: .random, address: address, isMade: true)
    }
    return OwnAddress(type: peer.type, address: peer.address)
  }

  // MARK: Addresses of others

  /// Returns the device behind a received address; nil if it is to be ignored, because the peer uses its identity address in network
  /// privacy mode (Core 5.4 Vol 6 Part B 4.7).
  func identify(_ type: AddressType, _ address: DeviceAddress) -> ReportedPeer? {
    let asItIs = ReportedPeer(type: type, address: address)
    guard state.resolvingList.isResolving else { return asItIs }
    if type == .random, let index = state.resolvingList.resolve(address) {
      let peer = state.resolvingList.entries[index].peer
      return ReportedPeer(type: peer.type.identityType, address: peer.address, resolvable: address)
    }
    guard let index = state.resolvingList.index(of: asItIs.listed) else { return asItIs }
    let entry = state.resolvingList.entries[index]
    return entry.peerKey != nil && entry.mode == .network ? nil : asItIs
  }

  /// Returns the device at the other end of a link, whose address was not ignored.
  func peer(behind address: OwnAddress) -> ReportedPeer {
    identify(address.type, address.address) ?? ReportedPeer(type: address.type, address: address.address)
  }

  func isListed(_ peer: ReportedPeer) -> Bool { state.filterAcceptList.contains(peer.listed) }

  /// Returns the target of an advertisement from `peer`. `own` are the addresses that this side responds to as they are; `identity` is the
  /// one behind its generated addresses.
  func target(
    of advertisement: Advertisement, from peer: ReportedPeer, own: [OwnAddress], identity: OwnAddress?
  ) -> AdvertisingTarget {
    guard advertisement.isDirected else { return .everyone }
    let (type, address) = (advertisement.targetType, advertisement.target)
    let entry = state.resolvingList.index(of: peer.listed)
    if state.resolvingList.isResolving, type == .random, state.resolvingList.isOwn(address, towards: entry) {
      return identity.map { .here($0.type.identityType, $0.address) } ?? .here(type, address)
    }
    if own.contains(where: { $0.type == type && $0.address == address }) { return .here(type, address) }
    return type == .random && address.isResolvablePrivate ? .unresolved : .someoneElse
  }
}
