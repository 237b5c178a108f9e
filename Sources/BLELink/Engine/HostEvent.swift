import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// What happened in a host of either role: the one stream that the command line, the control API, the log and the tests see.
/// Links are named by their connection handle.
public enum HostEvent: Sendable {
  /// The controller has answered everything; advertising begins, or requests are taken.
  case controllerReady(ControllerProfile, address: DeviceAddress, addressType: AddressType)
  /// It is another device from now on, under that random static address.
  case identityChanged(DeviceAddress)
  /// All advertising sets that can be on are on, for the first time since the controller came up.
  case advertisingReady(sets: [String])
  /// A set went on or off the air, or cannot.
  case advertising(AdvertisingEvent)
  /// Scanning has begun or ended.
  case scanning(Bool)
  /// An advertiser that passes the filter was heard.
  case advertisement(Advertisement)
  /// The link of a central without a bond is ended, which came to an advertising set for bonded ones that the controller cannot
  /// filter.
  case turnedAway(ConnectionHandle)
  /// A link was made.
  case connected(ConnectionHandle, ConnectionDetails)
  /// No link was made (Core 5.4 Vol 4 Part E 7.7.65.1).
  case connectionFailed(ErrorCode)
  /// A link has ended.
  case disconnected(ConnectionHandle, reason: ErrorCode)
  /// A link has new parameters.
  case parametersChanged(ConnectionHandle, interval: Duration, latency: Int, timeout: Duration)
  /// The peer asked for other parameters, and whether it gets them.
  case parametersRequested(ConnectionHandle, LinkParameters, accepted: Bool)
  /// The peer has answered our request for other parameters.
  case parametersAnswered(ConnectionHandle, accepted: Bool)
  /// A link uses other PHYs.
  case phyChanged(ConnectionHandle, transmit: PHY, receive: PHY)
  /// A link's packets may be this long, in octets.
  case dataLengthChanged(ConnectionHandle, transmit: Int, receive: Int)
  /// The peer's client did something to the server on this side.
  case server(ConnectionHandle, ServerEvent)
  /// The client of the peer's server has something to report.
  case client(ConnectionHandle, GATTClientEvent)
  /// A link that took no more write commands takes some again.
  case readyForMore(ConnectionHandle)
  /// A service was added, removed or replaced.
  case databaseChanged(DatabaseChange)
  /// A notification of that value was handed to the controller.
  case notified(ConnectionHandle, CharacteristicIndex, [UInt8])
  /// A notification was left out, because the peer does not take what was sent before; or, as an indication, because it has to read
  /// the services anew first.
  case notificationDropped(ConnectionHandle, CharacteristicIndex)
  /// An indication of that value was handed to the controller.
  case indicated(ConnectionHandle, CharacteristicIndex, [UInt8])
  /// Something happened to a link's L2CAP channels.
  case channel(ConnectionHandle, ChannelEvent)
  /// An SDU that the application leaves to the owner of the host.
  case sdu(ConnectionHandle, ChannelID, [UInt8])
  /// A frame came on a channel that nobody here listens to.
  case frame(ConnectionHandle, ChannelID, [UInt8])
  /// Something happened in a link's Security Manager.
  case security(ConnectionHandle, SecurityEvent)
  /// A link could not be encrypted, for that reason (Core 5.4 Vol 4 Part E 7.7.8): 0x06 says that one side has no key.
  case encryptionFailed(ConnectionHandle, ErrorCode)
  /// An encrypted link went too long without an authenticated packet (Core 5.4 Vol 4 Part E 7.7.75).
  case authenticatedPayloadTimeout(ConnectionHandle)
  /// Something of a bond has changed that has to survive: it is new, or its keys, its counters or what the server keeps of the
  /// peer's client.
  case bondChanged(BondRecord)
  /// There is no bond with that peer any longer.
  case bondRemoved(PeerIdentity)
  /// Something came that does not fit the protocol; what was done about it is in the fault.
  case fault(ProtocolFault)
  /// The controller refused a command that somebody asked for.
  case refused(CommandOpcode, ErrorCode)
  /// The controller cannot be used.
  case controllerFailed(ControllerFailure)
  /// Everything is off and every peer is gone: the end of a shutdown.
  case stopped
}
