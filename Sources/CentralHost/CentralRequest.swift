import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESDP
import BLESMP

/// A request to a central. Its results arrive as events.
package enum CentralRequest: Hashable, Sendable {
  /// Scan for advertisers. This replaces an earlier scan.
  case scan(ScanRequest)
  /// Stop scanning.
  case stopScanning
  /// Connect to an advertiser. Only one connection can be made at a time.
  case connect(ConnectionRequest)
  /// Find devices on BR/EDR. This replaces an earlier inquiry.
  case inquire(InquiryRequest)
  /// End the inquiry.
  case stopInquiring
  /// Connect to a device over BR/EDR. Only one connection can be made at a time.
  case page(InquiredDevice)
  /// Ask a device for its name over BR/EDR.
  case askForName(InquiredDevice)
  /// Open the ATT bearer of a link over BR/EDR, after encrypting the link.
  case openAttributeChannel(ConnectionHandle)
  /// Search the service records of the peer of a link over BR/EDR.
  case searchRecords(ConnectionHandle, SDPClient.Query)
  /// Cancel connecting.
  case cancelConnecting
  /// Disconnect a link for this reason.
  case disconnect(ConnectionHandle, reason: ErrorCode)
  /// Change the parameters of a link (Core 5.4 Vol 4 Part E 7.8.18).
  case updateParameters(ConnectionHandle, LinkParameters)
  /// Send packets of up to this many octets on a link (Core 5.4 Vol 4 Part E 7.8.33).
  case setDataLength(ConnectionHandle, octets: Int)
  /// Use one of these PHYs in each direction (Core 5.4 Vol 4 Part E 7.8.49).
  case setPHY(ConnectionHandle, transmit: PHYSet, receive: PHYSet)
  /// Set the value of a characteristic of this side's server, and send it to the peripherals that have subscribed.
  case setValue(CharacteristicIndex, [UInt8])
  /// Close a credit-based channel after its queued data is sent.
  case closeChannel(ConnectionHandle, ChannelID)
  /// Open this many enhanced bearers to a peripheral that is known to support them.
  case openBearers(ConnectionHandle, count: Int)
  /// Send a frame with this payload on a channel, even if the protocol forbids it.
  case sendFrame(ConnectionHandle, ChannelID, [UInt8])
  /// Encrypt a link with the key of the bond, or pair if there is no bond.
  case pair(ConnectionHandle)
  /// Pair, even if there is a bond.
  case pairAnew(ConnectionHandle)
  /// Answer the question of a pairing.
  case answerPairing(ConnectionHandle, PairingAnswer)
  /// Forget a bond. A link to that peer stays as it is.
  case removeBond(TypedAddress)
  /// Store a bond, in place of any bond with that peer.
  case setBond(BondRecord)
}

/// An inquiry for devices on BR/EDR.
package struct InquiryRequest: Hashable, Sendable {
  /// Whether it finds only devices in limited discoverable mode.
  package var isLimited: Bool
  /// How long it lasts, 1.28 s to 61.44 s; TGAP(100) by default (Core 5.4 Vol 3 Part C Appendix A).
  package var duration: Duration

  /// Creates a request.
  package init(isLimited: Bool = false, duration: Duration = .milliseconds(10_240)) {
    self.isLimited = isLimited
    self.duration = duration
  }

  /// The duration as controllers take it.
  var length: InquiryLength {
    InquiryLength(rawValue: UInt8(min(max((duration / InquiryLength.unit).rounded(.up), 1), 0x30)))
  }
}

/// The device to connect to, and how.
package struct ConnectionRequest: Hashable, Sendable {
  /// The advertiser's address.
  package var peer: DeviceAddress
  /// The type of the address.
  package var peerType: AddressType
  /// The parameters of the link.
  package var parameters: LinkParameters
  /// The PHYs to scan on for the advertiser. Legacy commands support only LE 1M.
  package var phys: PHYSet

  /// Creates a request.
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
