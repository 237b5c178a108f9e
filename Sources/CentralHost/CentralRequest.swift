import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP

/// What somebody outside asks of a central. What it leads to comes as events.
package enum CentralRequest: Hashable, Sendable {
  /// Listen to advertisers, in place of what was listened to before.
  case scan(ScanRequest)
  /// Listen no longer.
  case stopScanning
  /// Connect to an advertiser; one at a time.
  case connect(ConnectionRequest)
  /// Give up connecting.
  case cancelConnecting
  /// End a link for that reason.
  case disconnect(ConnectionHandle, reason: ErrorCode)
  /// Give a link other parameters (Core 5.4 Vol 4 Part E 7.8.18).
  case updateParameters(ConnectionHandle, LinkParameters)
  /// Send packets of up to that many octets on a link (Core 5.4 Vol 4 Part E 7.8.33).
  case setDataLength(ConnectionHandle, octets: Int)
  /// Use one of these PHYs each way (Core 5.4 Vol 4 Part E 7.8.49).
  case setPHY(ConnectionHandle, transmit: PHYSet, receive: PHYSet)
  /// Give a characteristic of this side's server a value, and send it to the peripherals that take it.
  case setValue(CharacteristicIndex, [UInt8])
  /// Close a credit-based channel once what waits is sent.
  case closeChannel(ConnectionHandle, ChannelID)
  /// Open that many enhanced bearers to a peripheral that is known to take them.
  case openBearers(ConnectionHandle, count: Int)
  /// Send a frame with that payload on a channel, whatever the protocol says about it.
  case sendFrame(ConnectionHandle, ChannelID, [UInt8])
  /// Encrypt a link with the key of the bond; without one, pair.
  case pair(ConnectionHandle)
  /// Pair, even where there is a bond.
  case pairAnew(ConnectionHandle)
  /// Answer the question that a pairing waits for.
  case answerPairing(ConnectionHandle, PairingAnswer)
  /// Forget a bond. A link to that peer stays as it is.
  case removeBond(PeerIdentity)
  /// Keep a bond in place of what is kept of that peer.
  case setBond(BondRecord)
}

/// Whom to connect to, and how.
package struct ConnectionRequest: Hashable, Sendable {
  /// The advertiser.
  package var peer: DeviceAddress
  /// The kind of its address.
  package var peerType: AddressType
  /// The parameters of the link.
  package var parameters: LinkParameters
  /// The PHYs to look for the advertiser on; legacy commands know LE 1M alone.
  package var phys: PHYSet

  /// A request.
  package init(
    to peer: DeviceAddress, type: AddressType = .random, parameters: LinkParameters = LinkParameters(),
    phys: PHYSet = .le1M
  ) {
    self.peer = peer
    peerType = type
    self.parameters = parameters
    self.phys = phys
  }
}
