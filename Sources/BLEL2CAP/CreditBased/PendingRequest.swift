import BLECore

/// A request of ours (Core 5.4 Vol 3 Part A 6.2.1).
struct PendingRequest: Sendable {
  let kind: Kind
  /// The channels it is about, by their ends on this side.
  var channels: [ChannelID]
  /// What the peer gives back; 0 before it is sent.
  var identifier: UInt8 = 0
  /// Whether it has been sent.
  var isSent = false
  /// When its answer is no longer waited for; nil before it is sent, or when only a late answer is listened for.
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
  /// What it asks for, as it was published when it asked.
  let published: PublishedChannel
}

/// A response that is sent with the next `writePDU`.
struct ReadyResponse: Sendable {
  let identifier: UInt8
  let answer: ChannelAnswer
}

/// What a peer asks for, by either request (Core 5.4 Vol 3 Part A 4.22, 4.25).
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

  /// Whether its lengths and credits are allowed; an enhanced request gives at least one credit.
  var isAcceptable: Bool {
    let minimum = isEnhanced ? KFrame.enhancedMinimumLength : KFrame.minimumLength
    return Int(mtu) >= minimum && Int(mps) >= minimum && Int(mps) <= KFrame.maximumMPS
      && (initialCredits > 0 || !isEnhanced)
  }

  /// Whether it names as many channels as a request may.
  var hasChannels: Bool { (1...CreditBasedConnectionRequest.maximumChannels).contains(sources.count) }
}

/// What a peer gets for its request.
struct ChannelAnswer: Sendable {
  var result: CreditBasedResult
  /// Our ends of the channels, in the order of the request; 0 for each that is refused.
  var destinations: [ChannelID]
  /// What this side takes, on the channels that are open.
  var mtu: UInt16 = 0
  var mps: UInt16 = 0
  var initialCredits: UInt16 = 0
  let isEnhanced: Bool

  /// An answer that opens nothing.
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
