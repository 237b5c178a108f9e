import BLECore
import BLEHCI

// What addresses a controller uses, and whom it sees behind those of others (Core 5.4 Vol 6 Part B 6).
extension VirtualController {
  // MARK: Own addresses

  /// The identity address of that type; nil for a random one that was never set.
  func identityAddress(_ type: OwnAddressType, random: DeviceAddress?) -> OwnAddress? {
    switch type {
    case .publicDevice, .resolvableOrPublic: OwnAddress(type: .publicDevice, address: publicAddress)
    default: random.map { OwnAddress(type: .random, address: $0) }
    }
  }

  /// The address of that type towards a peer, or towards none: where the resolving list has no key of this side for the
  /// peer, the types with resolvable private addresses fall back to the identity address (Core 5.4 Vol 4 Part E 7.8.5).
  /// Nil for a random address that was never set.
  func ownAddress(_ type: OwnAddressType, random: DeviceAddress?, towards peer: ListedDevice? = nil) -> OwnAddress? {
    if type == .resolvableOrPublic || type == .resolvableOrRandom, let peer,
      let entry = state.resolvingList.index(of: peer), let address = resolvableAddress(towards: entry)
    {
      return OwnAddress(type: .random, address: address, isMade: true)
    }
    return identityAddress(type, random: random)
  }

  /// The resolvable private address of now towards the peer of an entry; nil without a key of this side.
  func resolvableAddress(towards entry: Int) -> DeviceAddress? {
    state.resolvingList.localAddress(at: entry, now: air.now, random: &random)
  }

  /// The address to which a set directs its advertising: that of the host, or one made with the peer's key (Core 5.4 Vol 4
  /// Part E 7.8.5).
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

  /// The device behind an address that was received; nil for one to be ignored, because the peer uses its identity
  /// address although it is private to this host (Core 5.4 Vol 6 Part B 4.7).
  func identify(_ type: AddressType, _ address: DeviceAddress) -> PeerAddress? {
    let asItIs = PeerAddress(type: type, address: address)
    guard state.resolvingList.isResolving else { return asItIs }
    if type == .random, let index = state.resolvingList.resolve(address) {
      let peer = state.resolvingList.entries[index].peer
      return PeerAddress(type: peer.type.identityType, address: peer.address, resolvable: address)
    }
    guard let index = state.resolvingList.index(of: asItIs.listed) else { return asItIs }
    let entry = state.resolvingList.entries[index]
    return entry.peerKey != nil && entry.mode == .network ? nil : asItIs
  }

  /// The device at the other end of a link, which was not ignored.
  func peer(behind address: OwnAddress) -> PeerAddress {
    identify(address.type, address.address) ?? PeerAddress(type: address.type, address: address.address)
  }

  func isListed(_ peer: PeerAddress) -> Bool { state.filterAcceptList.contains(peer.listed) }

  /// To whom an advertisement of `peer` is directed. `own` are the addresses that this side answers to as they are;
  /// `identity` is the one behind those that it made.
  func target(
    of advertisement: Advertisement, from peer: PeerAddress, own: [OwnAddress], identity: OwnAddress?
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
