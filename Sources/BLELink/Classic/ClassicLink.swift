import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESDP
import BLESMP

/// What a link over BR/EDR has besides what every link has.
struct ClassicLink: Sendable {
  /// Whether this side is the central, which may change (Core 5.4 Vol 2 Part B 8.6.5).
  var isCentral: Bool
  /// Signalling and the connection-oriented channels.
  var channels: ClassicChannels
  /// The channel of the ATT bearer; nil while there is none.
  var attributeChannel: ChannelID?
  /// How far this side is in opening that channel; nil if it has not been asked to.
  var attributeOpening: AttributeOpening?
  /// What the Service Discovery Server remembers about each of its channels.
  var discoveries: [ChannelID: SDPServerSession] = [:]
  /// This side's search of the peer's service records; nil while there is none.
  var search: RecordSearch?
  /// Authentication, pairing and encryption.
  var security = ClassicSecurity()
  /// The derivation of the keys of LE; nil until the central begins it.
  var derivation: CrossTransportPairing?
  /// The first packet of the derivation, if it came before the controller has said how long the link's key is.
  var heldPacket: [UInt8]?
  /// Whether the next PDU is one of a credit-based channel, if there is any.
  var sendsCreditBased = false
  /// The channels that the peer has requested, and that wait for encryption.
  var waiting: [(ticket: AnswerTicket, psm: PSM)] = []

  /// The opening of the channel of the ATT bearer from this side.
  enum AttributeOpening: Sendable {
    /// It waits until the link is encrypted.
    case encrypting
    /// The channel has been requested, and may be open.
    case requested
  }

  init(isCentral: Bool, derivesKeys: Bool) {
    self.isCentral = isCentral
    channels = ClassicChannels(
      information: ClassicInformation(
        features: [.fixedChannels, .enhancedCreditBasedFlowControl],
        fixedChannels: derivesKeys ? [.signalling, .securityManager] : [.signalling]))
  }

  /// When something is due next. Mutating although it changes nothing: Swift copies large values that are only read.
  var nextDeadline: Instant? {
    mutating get {
      Instant.earliest(Instant.earliest(channels.nextDeadline, derivation?.nextDeadline), search?.deadline)
    }
  }

  /// The backlog of the ATT bearer, in octets, at which notifications are dropped: as on a real accessory, whose memory is small.
  private static let backlog = 2048

  /// Whether the ATT bearer takes another value.
  var hasRoom: Bool {
    guard let status = attributeChannel.flatMap({ channels.status($0) }) else { return false }
    return status.isOpen && status.queuedOctets < Self.backlog
  }
}

extension Link {
  /// Its protection.
  var currentSecurity: LinkSecurity {
    guard let classic else { return security.security }
    return classic.security.linkSecurity(isBonded: security.bond?.linkKey != nil)
  }

  /// Whether `pump` has a PDU of a channel to send. Mutating although it changes nothing: Swift copies large values that are only read.
  var hasChannelPDU: Bool {
    mutating get { channels.hasPDU || isClassic && classic?.channels.hasPDU ?? false }
  }

  /// The channel of its signalling packets.
  var signallingChannel: ChannelID { isClassic ? .classicSignalling : .signalling }

  /// The bearer of messages to its client, whose order must be kept: the one that is not an enhanced one, unless the client has none.
  var messageBearer: BearerID {
    guard isClassic, classic?.attributeChannel == nil else { return .fixed }
    return bearers.enhancedIDs.first ?? .fixed
  }

  /// Returns the longest message to its client over a bearer, in octets; nil while an indication is unconfirmed, or waits.
  func messageLimit(over bearer: BearerID) -> Int? {
    guard !session.hasWaitingIndications else { return nil }
    guard bearer != .fixed else { return bearers.fixed.att.canIndicate ? bearers.fixed.att.mtu - 3 : nil }
    guard let att = bearers[bearer]?.att, att.canIndicate else { return nil }
    return att.mtu - 3
  }

  /// Tells each kind of channels which CIDs of the peer the other one uses.
  mutating func exchangeRemotes() {
    channels.foreignRemotes = classic?.channels.remotes ?? []
    classic?.channels.foreignRemotes = channels.remotes
  }

  /// Appends the next PDU of the connection-oriented or the credit-based channels, which take turns. They share the signalling channel, and
  /// so its identifiers.
  mutating func writeClassicPDU(
    at now: Instant, into buffer: inout OctetBuffer, events: inout [ChannelEvent],
    classicEvents: inout [ClassicChannelEvent]
  ) -> Bool {
    guard var connectionOriented = classic.take() else { return false }
    defer { classic = connectionOriented }
    connectionOriented.sendsCreditBased.toggle()
    if connectionOriented.sendsCreditBased || !connectionOriented.channels.hasPDU, channels.hasPDU {
      channels.identifiers = connectionOriented.channels.identifiers
      defer { connectionOriented.channels.identifiers = channels.identifiers }
      return channels.writePDU(at: now, into: &buffer, events: &events)
    }
    return connectionOriented.channels.writePDU(at: now, into: &buffer, events: &classicEvents)
  }

  /// Queues a PDU of a bearer that is on a dynamic channel: of an enhanced one, or of that of BR/EDR.
  mutating func send(_ pdu: Span<UInt8>, over bearer: BearerID) -> SDUSubmission {
    guard bearer == .fixed else { return channels.send(pdu, on: bearer.channel) }
    guard let channel = classic?.attributeChannel else { return .notOpen }
    return classic?.channels.send(pdu, on: channel) ?? .notOpen
  }
}
