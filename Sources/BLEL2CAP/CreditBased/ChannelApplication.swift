import BLECore

/// The application behind credit-based channels: it receives their SDUs and supplies SDUs to send.
///
/// The host calls it while it processes the packet concerned, and passes the link's channels. SDUs are sent with `LinkChannels.send`;
/// `LinkChannels.hold` stops a peer that is too fast. The application does no input or output; time is an argument. A `ClientID` and a
/// `ChannelID` together identify a channel. All methods are optional: by default every SDU is passed to the owner of the host.
public protocol ChannelApplication: LateAnswering {
  /// Decides whether a client may open channels that need authorization (`ChannelAuthorization.asked`). By default it may not.
  mutating func authorize(
    _ request: ChannelAuthorizationRequest, for client: ClientID, at now: Instant
  ) -> ChannelAuthorizationAnswer

  /// Called when a channel is open.
  mutating func channelOpened(
    _ channel: ChannelStatus, on client: ClientID, in channels: inout LinkChannels, at now: Instant)

  /// Called when an SDU has arrived.
  mutating func received(
    _ sdu: Span<UInt8>, on channel: ChannelID, of client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception

  /// Called when a channel whose queue was full accepts SDUs again. Returns whether the application supplies them.
  mutating func channelMaySend(
    _ channel: ChannelID, on client: ClientID, in channels: inout LinkChannels, at now: Instant
  ) -> SDUReception

  /// Called once for each opened channel when it has ended.
  mutating func channelClosed(_ channel: ChannelID, on client: ClientID)

  /// When a channel next has something to do.
  var nextChannelDeadline: Instant? { get }

  /// Performs what is due at `now` on the channels of one link.
  mutating func advanceChannels(on client: ClientID, in channels: inout LinkChannels, at now: Instant)
}

/// The handler of an SDU, or of a channel that accepts SDUs again.
public enum SDUReception: Hashable, Sendable {
  /// The application handles it.
  case taken
  /// The owner of the host must handle it.
  case forwarded
}

// The default implementations are documented at the requirements of the protocol.
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
