import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESDP
import BLESMP

/// What happened in a host of either role: the one stream that the command line, the control API, the log and the tests see.
/// Links are named by their connection handle.
public enum HostEvent: Sendable {
  /// The controller is initialized; from now on the host advertises or accepts requests.
  case controllerReady(ControllerProfile, address: DeviceAddress, addressType: AddressType)
  /// The host has a new identity, with that address.
  case identityChanged(DeviceAddress)
  /// All advertising sets that can be enabled are enabled, for the first time since the controller was initialized.
  case advertisingReady(sets: [String])
  /// An advertising set was enabled or disabled, or cannot be enabled.
  case advertising(AdvertisingEvent)
  /// A device on BR/EDR can now be found, and connected to, or not.
  case classicScans(isDiscoverable: Bool, isConnectable: Bool)
  /// Scanning has begun or ended.
  case scanning(Bool)
  /// An advertiser that passes the filter was heard.
  case advertisement(Advertisement)
  /// An inquiry has begun or ended.
  case inquiring(Bool)
  /// An inquiry has found a device, once more or for the first time.
  case found(InquiredDevice)
  /// A device has told its name over BR/EDR; nil if it has not, for this reason.
  case remoteName(DeviceAddress, String?, ErrorCode)
  /// The ATT bearer that this side has opened over BR/EDR is open, or has ended, or could not be opened.
  case attributeChannel(ConnectionHandle, isOpen: Bool)
  /// The answer to a search of the peer's service records.
  case serviceRecords(ConnectionHandle, Result<SDPClient.Answer, RecordSearchFailure>)
  /// The link of a central without a bond is being ended: it connected to an advertising set for bonded centrals, on a controller that
  /// cannot filter.
  case turnedAway(ConnectionHandle)
  /// A link was made.
  case connected(ConnectionHandle, ConnectionDetails)
  /// A connection attempt has failed (Core 5.4 Vol 4 Part E 7.7.65.1).
  case connectionFailed(ErrorCode)
  /// A link has ended.
  case disconnected(ConnectionHandle, reason: ErrorCode)
  /// A link has new parameters.
  case parametersChanged(ConnectionHandle, interval: Duration, latency: Int, timeout: Duration)
  /// The peer requested other parameters; whether they are accepted.
  case parametersRequested(ConnectionHandle, LinkParameters, accepted: Bool)
  /// The peer has answered this side's request for other parameters.
  case parametersAnswered(ConnectionHandle, accepted: Bool)
  /// A link uses other PHYs.
  case phyChanged(ConnectionHandle, transmit: PHY, receive: PHY)
  /// A link has new maximum packet lengths, in octets.
  case dataLengthChanged(ConnectionHandle, transmit: Int, receive: Int)
  /// The peer's client did something to the server on this side.
  case server(ConnectionHandle, ServerEvent)
  /// This side's client of the peer's server has something to report.
  case client(ConnectionHandle, GATTClientEvent)
  /// A link that had no room for write commands has room again.
  case readyForMore(ConnectionHandle)
  /// A service was added, removed or replaced.
  case databaseChanged(DatabaseChange)
  /// A notification of that value was handed to the controller.
  case notified(ConnectionHandle, CharacteristicIndex, [UInt8])
  /// A notification was not sent because the peer has yet to take earlier ones; or a notification or an indication was not sent because
  /// the client has to read the changed services first.
  case notificationDropped(ConnectionHandle, CharacteristicIndex)
  /// An indication of that value was handed to the controller.
  case indicated(ConnectionHandle, CharacteristicIndex, [UInt8])
  /// Something happened to a link's L2CAP channels.
  case channel(ConnectionHandle, ChannelEvent)
  /// An SDU that the application leaves to the owner of the host.
  case sdu(ConnectionHandle, ChannelID, [UInt8])
  /// A frame was received on a channel without a receiver.
  case frame(ConnectionHandle, ChannelID, [UInt8])
  /// Something happened in a link's Security Manager.
  case security(ConnectionHandle, SecurityEvent)
  /// A link could not be encrypted, with the reason (Core 5.4 Vol 4 Part E 7.7.8): 0x06 means that one side has no key.
  case encryptionFailed(ConnectionHandle, ErrorCode)
  /// An encrypted link went too long without an authenticated packet (Core 5.4 Vol 4 Part E 7.7.75).
  case authenticatedPayloadTimeout(ConnectionHandle)
  /// Part of a bond that has to be stored has changed: the bond is new, or its keys, its counters or the stored state of the peer's
  /// client have changed.
  case bondChanged(BondRecord)
  /// The bond with that peer has been removed.
  case bondRemoved(TypedAddress)
  /// Input violated the protocol; the fault includes what was done about it.
  case fault(ProtocolFault)
  /// An armed fault has fired: its id, what was done, and the link and the characteristic if it concerns them.
  case injected(ConnectionHandle?, fault: String, done: String, CharacteristicIndex?)
  /// The controller refused a command that the owner asked for.
  case refused(CommandOpcode, ErrorCode)
  /// The controller cannot be used.
  case controllerFailed(ControllerFailure)
  /// Everything is off and all links have ended: the end of a shutdown.
  case stopped
}
