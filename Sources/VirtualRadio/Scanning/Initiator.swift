import BLECore
import BLEHCI

/// An attempt to connect (Core 5.4 Vol 6 Part B 4.4.4).
struct Initiator {
  var epoch: UInt32
  var startedAt: Instant
  var tracks: [ListeningTrack]
  var isExtended: Bool
  /// The peer to connect to; nil for any device on the filter accept list.
  var peer: ListedDevice?
  var ownAddressType: OwnAddressType
  /// The initial timing of the link, by its initial PHY.
  var timings: [RadioPHY: LinkTiming]
  /// The maximum connection event length that its host has set, by the link's initial PHY; zero for none.
  var eventLengths: [RadioPHY: ConnectionEventLength] = [:]

  /// Returns the PHY whose parameters apply to a link that starts on `phy`.
  func parametersPHY(for phy: RadioPHY) -> RadioPHY? {
    [phy, .le1M, .leCoded].first { timings[$0] != nil }
  }
}

extension VirtualController {
  /// Returns the address with which the initiator answers an advertisement; nil if it does not (Core 5.4 Vol 6 Part B 4.3.5, 6.4).
  func connectionRequestAddress(for advertisement: Advertisement) -> OwnAddress? {
    guard let initiator = state.initiator, advertisement.isConnectable,
      advertisement.isLegacy || initiator.isExtended,
      let peer = identify(advertisement.addressType, advertisement.address),
      let own = ownAddress(initiator.ownAddressType, random: state.randomAddress, towards: peer.listed)
    else { return nil }
    // An initiator that uses a resolvable address with the peer does not answer advertising to its identity address.
    switch target(of: advertisement, from: peer, own: [own], identity: nil) {
    case .everyone, .here: break
    case .unresolved, .someoneElse: return nil
    }
    guard let wanted = initiator.peer else { return isListed(peer) ? own : nil }
    let onTheAir = ListedDevice(type: advertisement.addressType, address: advertisement.address)
    return wanted == peer.listed || wanted == onTheAir ? own : nil
  }

  /// Reserves the radio until the end of the connection request, and chooses where the link's events will be.
  func willRequestConnection(_ advertisement: Advertisement, until end: Instant) {
    radioFreeFrom = end
    let phy = advertisement.connectionPHY
    guard let initiator = state.initiator, let parametersPHY = initiator.parametersPHY(for: phy),
      let timing = initiator.timings[parametersPHY]
    else { return }
    state.initiator?.timings[parametersPHY]?.windowOffset = windowOffset(
      intervalUnits: timing.intervalUnits, from: end + advertisement.transmitWindowDelay)
  }

  func connect(
    as own: OwnAddress, to advertiser: VirtualController, _ advertisement: Advertisement, on phy: RadioPHY,
    arrives: Bool
  ) -> Link? {
    guard let initiator = state.initiator, let parametersPHY = initiator.parametersPHY(for: phy),
      let timing = initiator.timings[parametersPHY]
    else { return nil }
    state.initiator = nil
    let request = ConnectionRequest(
      own: own, timing: timing, eventLength: initiator.eventLengths[parametersPHY] ?? ConnectionEventLength(rawValue: 0)
    )
    return air.connect(self, request, to: advertiser, advertisement, on: phy, arrives: arrives)
  }
}
