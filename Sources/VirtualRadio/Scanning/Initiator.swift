import BLECore
import BLEHCI

/// An attempt to connect under way (Core 5.4 Vol 6 Part B 4.4.4).
struct Initiator {
  var epoch: UInt32
  var startedAt: Instant
  var tracks: [ListeningTrack]
  var isExtended: Bool
  /// Whom to connect to; nil for anyone on the filter accept list.
  var peer: ListedDevice?
  var ownAddressType: OwnAddressType
  /// What the link begins with, by the PHY that it begins on.
  var timings: [RadioPHY: LinkTiming]
}

extension VirtualController {
  /// The address with which the initiator answers an advertisement; nil when it does not (Core 5.4 Vol 6 Part B 4.3.5,
  /// 6.4).
  func connectionRequestAddress(for advertisement: Advertisement) -> OwnAddress? {
    guard let initiator = state.initiator, advertisement.isConnectable,
      advertisement.isLegacy || initiator.isExtended,
      let peer = identify(advertisement.addressType, advertisement.address),
      let own = ownAddress(initiator.ownAddressType, random: state.randomAddress, towards: peer.listed)
    else { return nil }
    // Whoever shows the peer a resolvable address does not answer to his identity address.
    switch target(of: advertisement, from: peer, own: [own], identity: nil) {
    case .everyone, .here: break
    case .unresolved, .someoneElse: return nil
    }
    guard let wanted = initiator.peer else { return isListed(peer) ? own : nil }
    let onTheAir = ListedDevice(type: advertisement.addressType, address: advertisement.address)
    return wanted == peer.listed || wanted == onTheAir ? own : nil
  }

  func connect(
    as own: OwnAddress, to advertiser: VirtualController, _ advertisement: Advertisement, on phy: RadioPHY,
    arrives: Bool
  ) -> Link? {
    guard let initiator = state.initiator,
      let timing = initiator.timings[phy] ?? initiator.timings[.le1M] ?? initiator.timings[.leCoded]
    else { return nil }
    state.initiator = nil
    return air.connect(
      self, ConnectionRequest(own: own, timing: timing), to: advertiser, advertisement, on: phy, arrives: arrives)
  }
}
