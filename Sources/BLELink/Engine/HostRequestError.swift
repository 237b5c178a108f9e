import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// Why a host does not do what it was asked for.
public enum HostRequestError: Error, Hashable, Sendable {
  /// The controller is not ready, or cannot be used.
  case notReady
  /// No link has that handle.
  case unknownConnection(ConnectionHandle)
  /// The link is not encrypted.
  case notEncrypted(ConnectionHandle)
  /// No advertising set that the controller can carry has that name.
  case unknownSet(String)
  /// An advertising set calls a bonded central, and there is none that is not connected.
  case nobodyToCall(set: String)
  /// A connection is being made already.
  case alreadyConnecting
  /// Nobody is subscribed.
  case noSubscriber(CharacteristicIndex)
  /// Nobody waits for an answer by that ticket: it was given, or the client is gone.
  case unknownTicket(AnswerTicket)
  /// The services cannot be changed like that.
  case impossibleEdit(AttributeDatabase.DefinitionError)
  /// The link has no such channel, or it is not open.
  case unknownChannel(ConnectionHandle, ChannelID)
  /// The link has as many channels as there can be.
  case noFreeChannel(ConnectionHandle)
  /// As much as may wait on a channel does.
  case channelFull(ConnectionHandle, ChannelID)
  /// The peer takes at most so many octets.
  case sduTooLong(ConnectionHandle, ChannelID, limit: Int)
  /// Something is published under that PSM already.
  case psmTaken(SPSM)
  /// Nothing is published under that PSM.
  case unknownPSM(SPSM)
  /// There is no bond with that peer.
  case unknownBond(PeerIdentity)
  /// The link's Security Manager has not asked for such an answer.
  case noPairingQuestion(ConnectionHandle)
  /// The host does not pair.
  case notPairable
}
