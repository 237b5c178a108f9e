import BLECore

/// What stands behind credit-based channels: takes their SDUs, and gives them SDUs to send.
///
/// It is called while the packet is taken that asks, with the link's channels in hand: SDUs go out with `LinkChannels.send`, a
/// peer that is too fast is held with `LinkChannels.hold`. It does no input or output; time is an argument. A `ClientID` and a
/// `ChannelID` together name a channel. All of it may be left out: then every SDU is handed to the owner of the host.
public protocol ChannelApplication: LateAnswering {
  /// Whether a client may open channels to what needs authorization (`ChannelAuthorization.asked`). Without an own method it may
  /// not.
  mutating func authorize(
    _ request: ChannelAuthorizationRequest, for client: ClientID, at now: Instant
  ) -> ChannelAuthorizationAnswer

  /// A channel is open.
  mutating func channelOpened(
    _ channel: ChannelStatus, on client: ClientID, in channels: inout LinkChannels, at now: Instant)

  /// An SDU has come.
  mutating func received(
    _ sdu: Span<UInt8>, on channel: ChannelID, of client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception

  /// A channel whose queue was full takes SDUs again; whether it is the application that fills it.
  mutating func channelMaySend(
    _ channel: ChannelID, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception

  /// A channel has ended; for every one that was opened this comes once.
  mutating func channelClosed(_ channel: ChannelID, on client: ClientID)

  /// When a channel has something to do by itself next.
  var nextChannelDeadline: Instant? { get }

  /// Does what is due at `now` on the channels of one link.
  mutating func advanceChannels(on client: ClientID, in channels: inout LinkChannels, at now: Instant)
}

/// Who deals with an SDU, or with a channel that takes SDUs again.
public enum SDUReception: Hashable, Sendable {
  /// The application does.
  case taken
  /// The owner of the host is to.
  case forwarded
}

// These are documented where they are required.
// swift-format-ignore: AllPublicDeclarationsHaveDocumentation
extension ChannelApplication {
  public mutating func authorize(
    _ request: ChannelAuthorizationRequest, for client: ClientID, at now: Instant
  ) -> ChannelAuthorizationAnswer { .refused }

  public mutating func channelOpened(
    _ channel: ChannelStatus, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) {}

  public mutating func received(
    _ sdu: Span<UInt8>, on channel: ChannelID, of client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception { .forwarded }

  public mutating func channelMaySend(
    _ channel: ChannelID, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception { .forwarded }

  public mutating func channelClosed(_ channel: ChannelID, on client: ClientID) {}

  public var nextChannelDeadline: Instant? { nil }

  public mutating func advanceChannels(on client: ClientID, in channels: inout LinkChannels, at now: Instant) {}
}
