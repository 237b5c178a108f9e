import AccessoryProfile
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP

/// Why a control request failed.
public enum ControlError: Error, Sendable, CustomStringConvertible {
  /// No characteristic has that id or UUID, or several have that UUID.
  case unknownCharacteristic(String)
  /// No notification has that UID.
  case unknownNotification(UInt32)
  /// The value does not fit the characteristic's format.
  case unsuitableValue(String)
  /// No publication has that id.
  case unknownPublication(String)
  /// Another publication has that id.
  case publicationTaken(String)
  /// No service has that id.
  case unknownService(String)
  /// The host adds that service itself, so it cannot be changed.
  case unchangeableService(String)
  /// The wanted id belongs to another service or characteristic. The text is a whole sentence.
  case idTaken(String)
  /// No snapshot has that name.
  case unknownSnapshot(String)
  /// The limit of snapshots is reached.
  case tooManySnapshots(limit: Int)
  /// No fault with that id is armed.
  case unknownFault(String)
  /// All PSMs of the dynamic range are taken.
  case noFreePSM
  /// The host refused the request.
  case refused(HostRequestError)
  /// The central's server has no such characteristic.
  case unknownRemote(String)
  /// The central's server refused or failed the operation.
  case remote(GATTFailure)
  /// The change must be stored, and cannot be written. The text is a whole sentence.
  case notKept(String)
  /// No rule of the profile uses that button. The text is a whole sentence.
  case unknownButton(String)
  /// The question cannot be answered, or not with this answer.
  case question(QuestionRefusal)

  /// What failed and why.
  public var description: String {
    switch self {
    case .unknownCharacteristic(let name):
      "no characteristic, or more than one, has the name \(name): use the id that `understudy describe` "
        + "shows"
    case .unknownNotification(let uid): "there is no notification \(uid)"
    case .unsuitableValue(let reason), .unknownButton(let reason): reason
    case .unknownRemote(let name): "the central has no characteristic \(name)"
    case .remote(let failure): "\(failure)"
    case .question(.unknown(let ticket)): "there is no question \(ticket.number)"
    case .question(.ended(let ticket, let end)): "question \(ticket.number) is no longer open: \(end.text)"
    case .question(.unsuitable(let reason)): reason
    case .unknownPublication(let id): "there is no publication \(id)"
    case .publicationTaken(let id): "there is already a publication \(id)"
    case .unknownService(let id): "there is no service \(id)"
    case .unchangeableService(let id):
      "\(id) is Generic Access or Generic Attribute, which the accessory adds itself: it cannot be added or "
        + "changed"
    case .idTaken(let reason), .notKept(let reason): reason
    case .unknownSnapshot(let id): "there is no snapshot \(id)"
    case .tooManySnapshots(let limit): "there are \(limit) snapshots already"
    case .unknownFault(let id): "there is no fault \(id)"
    case .noFreePSM: "all PSMs from 0x80 to 0xFF are in use"
    case .refused(.notReady): "the controller is not ready"
    case .refused(.alreadyConnecting): "a connection is already being established"
    case .refused(.noClassic): "the host does not use BR/EDR"
    case .refused(.notClassic(let handle)): "connection \(handle.rawValue) is over LE, and this is for BR/EDR"
    case .refused(.alreadySearching(let handle)):
      "a search of service records on connection \(handle.rawValue) is already in progress"
    case .refused(.unknownConnection(let handle)): "there is no connection \(handle.rawValue)"
    case .refused(.notEncrypted(let handle)): "connection \(handle.rawValue) is not encrypted"
    case .refused(.unknownSet(let set)): "there is no advertising set \(set) that the controller can support"
    case .refused(.nobodyToCall(let set)):
      "the advertising set \(set) calls a bonded central, but there is none that is not connected"
    case .refused(.noSubscriber): "no client is subscribed"
    case .refused(.unknownTicket(let ticket)): "no question waits for an answer with the ticket \(ticket.number)"
    case .refused(.impossibleEdit(let error)): "\(error)"
    case .refused(.unknownChannel(let handle, let id)):
      "connection \(handle.rawValue) has no open channel \(id.rawValue)"
    case .refused(.noFreeChannel(let handle)):
      "connection \(handle.rawValue) has the maximum number of channels"
    case .refused(.channelFull(let handle, let id)):
      "channel \(id.rawValue) of connection \(handle.rawValue) accepts nothing until the central has "
        + "received what is queued"
    case .refused(.sduTooLong(_, let id, let limit)):
      "the central accepts at most \(limit) octets on channel \(id.rawValue)"
    case .refused(.psmTaken(let psm)): "PSM \(psm.rawValue) is already published"
    case .refused(.unknownPSM(let psm)): "PSM \(psm.rawValue) is not published"
    case .refused(.unknownBond(let peer)): "there is no bond with \(peer.address)"
    case .refused(.noPairingQuestion(let handle)): "no pairing on connection \(handle.rawValue) waits for that answer"
    case .refused(.noKeypresses(let handle)):
      "no passkey is being entered for connection \(handle.rawValue), or the sides have not agreed on "
        + "keypress notifications"
    case .refused(.notPairable): "the accessory does not pair"
    }
  }
}
