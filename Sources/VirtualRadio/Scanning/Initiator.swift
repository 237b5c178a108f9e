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
  var addressType: AddressType
  var address: DeviceAddress
  /// What the link begins with, by the PHY that it begins on.
  var timings: [RadioPHY: LinkTiming]
}

extension VirtualController {
  /// Whether the initiator connects to whoever sent that.
  func wants(_ advertisement: Advertisement) -> Bool {
    guard let initiator = state.initiator, advertisement.isConnectable,
      advertisement.isLegacy || initiator.isExtended
    else { return false }
    if advertisement.isDirected,
      advertisement.targetType != initiator.addressType || advertisement.target != initiator.address
    {
      return false
    }
    guard let peer = initiator.peer else { return isListed(advertisement.addressType, advertisement.address) }
    return peer == ListedDevice(type: advertisement.addressType, address: advertisement.address)
  }

  func connect(to advertiser: VirtualController, _ advertisement: Advertisement, on phy: RadioPHY, arrives: Bool) {
    guard let initiator = state.initiator,
      let timing = initiator.timings[phy] ?? initiator.timings[.le1M] ?? initiator.timings[.leCoded]
    else { return }
    state.initiator = nil
    let request = ConnectionRequest(
      addressType: initiator.addressType, address: initiator.address, timing: timing)
    air.connect(self, request, to: advertiser, advertisement, on: phy, arrives: arrives)
  }
}
