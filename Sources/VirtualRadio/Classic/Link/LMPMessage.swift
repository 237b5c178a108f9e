import BLECore
import BLEHCI

/// A message between the link managers of two controllers, by what hosts can notice of it (Core 5.4 Vol 2 Part C 4).
enum LMPMessage {
  // MARK: Connecting (4.1)

  case connectionRequest(ClassOfDevice)
  /// The peer accepts, perhaps as the central.
  case connectionAccepted(switchesRole: Bool)
  case connectionRefused(ErrorCode)
  case setupComplete
  /// The reason for the peer, and for the own host.
  case detach(ErrorCode, own: ErrorCode)

  // MARK: Information (4.3)

  case featuresRequest(page: UInt8)
  case features(LMPFeaturePage, page: UInt8, lastPage: UInt8)
  case versionRequest
  case version
  case nameRequest
  case name([UInt8])
  case clockOffsetRequest
  case clockOffset

  // MARK: Links (4.1.7, 4.4, 4.5)

  case switchRequest
  case switchAnswer(ErrorCode)
  case sniffRequest(SniffParameters)
  case sniffAnswer(SniffParameters, ErrorCode)
  case unsniffRequest
  case unsniffAccepted
  case supervisionTimeout(BasebandSlots)
  case sniffSubrating(SniffSubrating)

  // MARK: Security (4.2)

  case challenge
  case challengeAnswer(ErrorCode)
  case capabilities(PairingCapabilities)
  case capabilitiesAnswer(Result<PairingCapabilities, Refusal>)
  case publicKey
  /// The user or the data of one side agree.
  case confirmed
  /// The user of one side does not agree.
  case stageFailed
  case check
  case checkAnswer(ErrorCode)
  case keypress(KeypressNotification)
  case pinStart
  case pinAnswer(ErrorCode)
  case encryption(isOn: Bool)
  case encryptionAnswer(isOn: Bool, ErrorCode)
  case encryptionRefresh
  case encryptionRefreshAnswer
  case newLinkKey
  case newLinkKeyAnswer
}

/// How a link sleeps (Core 5.4 Vol 2 Part C 4.5.3).
struct SniffParameters: Hashable {
  /// Between two anchor points.
  var interval: BasebandSlots
  /// For how many slots of the peripheral it listens from an anchor point on, and after it was heard.
  var attempt: Int
  var timeout: Int
}

/// How seldom a side listens while it sleeps (Core 5.4 Vol 4 Part E 7.2.14).
struct SniffSubrating: Hashable {
  var maximumLatency: BasebandSlots
  var minimumRemoteTimeout: BasebandSlots
  var minimumLocalTimeout: BasebandSlots
}
