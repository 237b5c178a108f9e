import BLECore

/// A request of this side (Core 5.4 Vol 3 Part A 6.2.1).
struct PendingRequest: Sendable {
  let kind: Kind
  /// The channels concerned, by their CIDs on this side.
  var channels: [ChannelID]
  /// The identifier that the peer returns; 0 until it is sent.
  var identifier: UInt8 = 0
  /// Whether it has been sent.
  var isSent = false
  /// When the wait for its response ends; nil until it is sent, or if only a late response is still accepted.
  var deadline: Instant?

  enum Kind: Hashable {
    case open, openEnhanced, disconnect
    case reconfigure(mtu: Int, mps: Int)
  }
}

/// A request of the peer that waits for the application's answer.
struct OpenAuthorization: Sendable {
  let ticket: AnswerTicket
  let identifier: UInt8
  let request: ChannelRequest
  /// The published channel at the time of the request.
  let published: PublishedChannel
}

/// A response that the next `writePDU` sends.
struct ReadyResponse: Sendable {
  let identifier: UInt8
  let answer: ChannelAnswer
}

/// A peer's request for channels, of either kind (Core 5.4 Vol 3 Part A 4.22, 4.25).
struct ChannelRequest: Sendable {
  let psm: SPSM
  let mtu: UInt16
  let mps: UInt16
  let initialCredits: UInt16
  let sources: [ChannelID]
  let isEnhanced: Bool

  init(_ request: LECreditBasedConnectionRequest) {
    psm = request.psm
    mtu = request.mtu
    mps = request.mps
    initialCredits = request.initialCredits
    sources = [request.source]
    isEnhanced = false
  }

  init(_ request: CreditBasedConnectionRequest) {
    psm = request.psm
    mtu = request.mtu
    mps = request.mps
    initialCredits = request.initialCredits
    sources = request.sources
    isEnhanced = true
  }

  /// Whether its lengths and credits are valid. An enhanced request has at least one credit.
  var isAcceptable: Bool {
    let minimum = isEnhanced ? KFrame.enhancedMinimumLength : KFrame.minimumLength
    return Int(mtu) >= minimum && Int(mps) >= minimum && Int(mps) <= KFrame.maximumMPS
      && (initialCredits > 0 || !isEnhanced)
  }

  /// Whether it has a valid number of channels.
  var hasChannels: Bool { (1...CreditBasedConnectionRequest.maximumChannels).contains(sources.count) }
}

/// The answer to a peer's request.
struct ChannelAnswer: Sendable {
  var result: CreditBasedResult
  /// The CIDs of the channels on this side, in the order of the request; 0 for each refused one.
  var destinations: [ChannelID]
  /// The limits of this side on the open channels.
  var mtu: UInt16 = 0
  var mps: UInt16 = 0
  var initialCredits: UInt16 = 0
  let isEnhanced: Bool

  /// Creates an answer that opens no channel.
  init(_ result: CreditBasedResult, to request: ChannelRequest) {
    self.result = result
    let count = min(request.sources.count, CreditBasedConnectionRequest.maximumChannels)
    destinations = Array(repeating: ChannelID(rawValue: 0), count: count)
    isEnhanced = request.isEnhanced
  }

  /// Appends the response.
  func encode(identifier: UInt8, into buffer: inout OctetBuffer) {
    if isEnhanced {
      var response = CreditBasedConnectionResponse()
      (response.mtu, response.mps, response.initialCredits) = (mtu, mps, initialCredits)
      (response.result, response.destinations) = (result, destinations)
      response.encodePacket(identifier: identifier, into: &buffer)
    } else {
      var response = LECreditBasedConnectionResponse()
      (response.mtu, response.mps, response.initialCredits) = (mtu, mps, initialCredits)
      response.result = result
      response.destination = destinations.first ?? ChannelID(rawValue: 0)
      response.encodePacket(identifier: identifier, into: &buffer)
    }
  }
}
