import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// The reason why a host does not do what it was asked to do.
public enum HostRequestError: Error, Hashable, Sendable {
  /// The controller is not ready, or cannot be used.
  case notReady
  /// No link has that handle.
  case unknownConnection(ConnectionHandle)
  /// The link is not encrypted.
  case notEncrypted(ConnectionHandle)
  /// No advertising set that the controller supports has that name.
  case unknownSet(String)
  /// The advertising set is directed to bonded centrals, and there is none that is not connected.
  case nobodyToCall(set: String)
  /// A connection attempt is already in progress.
  case alreadyConnecting
  /// The host does not use BR/EDR.
  case noClassic
  /// The link is over LE, and the request is for BR/EDR.
  case notClassic(ConnectionHandle)
  /// A search of the peer's service records is already in progress.
  case alreadySearching(ConnectionHandle)
  /// No client is subscribed.
  case noSubscriber(CharacteristicIndex)
  /// No request waits for an answer with that ticket: it has been answered, or the client has left.
  case unknownTicket(AnswerTicket)
  /// That change of the services is not possible.
  case impossibleEdit(AttributeDatabase.DefinitionError)
  /// The link has no such channel, or it is not open.
  case unknownChannel(ConnectionHandle, ChannelID)
  /// The link has the maximum number of channels.
  case noFreeChannel(ConnectionHandle)
  /// The queue of the channel is full.
  case channelFull(ConnectionHandle, ChannelID)
  /// The SDU is longer than the peer's MTU, in octets.
  case sduTooLong(ConnectionHandle, ChannelID, limit: Int)
  /// The PSM is already in use.
  case psmTaken(SPSM)
  /// Nothing is published with that PSM.
  case unknownPSM(SPSM)
  /// There is no bond with that peer.
  case unknownBond(TypedAddress)
  /// The link's Security Manager is not waiting for such an answer.
  case noPairingQuestion(ConnectionHandle)
  /// This side of the link does not enter a passkey, or the pairing has no keypress notifications.
  case noKeypresses(ConnectionHandle)
  /// The host does not pair.
  case notPairable
}
