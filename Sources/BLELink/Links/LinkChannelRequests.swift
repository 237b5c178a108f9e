import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// A request of the owner that concerns a host's L2CAP channels.
public enum ChannelRequest: Hashable, Sendable {
  /// Lets peers open channels to that PSM.
  case publish(PublishedChannel)
  /// Lets peers open no more channels to that PSM, and closes those that are open.
  case unpublish(SPSM)
  /// Opens a channel to the peer.
  case open(ConnectionHandle, SPSM, ChannelParameters)
  /// Opens up to five channels to the peer with one enhanced request.
  case openEnhanced(ConnectionHandle, SPSM, count: Int, ChannelParameters)
  /// Requires an authorization for channels that peers open to that PSM from now on.
  case setAuthorization(SPSM, ChannelAuthorization)
  /// Sends an SDU.
  case send(ConnectionHandle, ChannelID, [UInt8])
  /// Stops giving the peer credits, or resumes.
  case hold(ConnectionHandle, ChannelID, Bool)
  /// Closes a channel after everything queued has been sent.
  case close(ConnectionHandle, ChannelID)
}

extension HostEngine {
  package mutating func perform(_ request: ChannelRequest, at now: Instant, into out: inout HostOutput)
    throws(HostRequestError)
  {
    out.now = now
    switch request {
    case .publish(let channel):
      guard !publishedChannels.contains(where: { $0.psm == channel.psm }) else { throw .psmTaken(channel.psm) }
      publishedChannels.append(channel)
    case .unpublish(let psm):
      guard let place = publishedChannels.firstIndex(where: { $0.psm == psm }) else { throw .unknownPSM(psm) }
      publishedChannels.remove(at: place)
      for link in links.ids {
        change(link, into: &out) { $0.closeIncoming(psm, at: now, events: &$1) }
      }
    case .setAuthorization(let psm, let authorization):
      guard let place = publishedChannels.firstIndex(where: { $0.psm == psm }) else { throw .unknownPSM(psm) }
      publishedChannels[place].requirement.needsAuthorization = true
      publishedChannels[place].authorization = authorization
    case .open(let handle, let psm, let parameters): try beginChannel(psm, on: handle, parameters)
    case .openEnhanced(let handle, let psm, let count, let parameters):
      try beginChannels(psm, count: count, on: handle, parameters)
    case .send(let handle, let id, let sdu):
      let link = try existing(handle)
      switch links[link].channels.send(sdu.span, on: id) {
      case .queued: break
      case .full: throw .channelFull(handle, id)
      case .tooLong(let limit): throw .sduTooLong(handle, id, limit: limit)
      case .notOpen: throw .unknownChannel(handle, id)
      }
    case .hold(let handle, let id, let isHeld): links[try existing(handle, id)].channels.hold(id, isHeld)
    case .close(let handle, let id):
      change(try existing(handle, id), into: &out) { $0.close(id, at: now, events: &$1) }
    }
  }

  /// Opens a channel to the peer (Core 5.4 Vol 3 Part A 4.22); the event `opened` or `closed` reports the result.
  public mutating func openChannel(
    _ psm: SPSM, on handle: ConnectionHandle, parameters: ChannelParameters, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) -> ChannelID {
    out.now = now
    defer { flush(into: &out) }
    return try beginChannel(psm, on: handle, parameters)
  }

  /// Opens one to five channels to the peer with one request (Core 5.4 Vol 3 Part A 4.25); for each, the event `opened` or `closed` reports
  /// the result. Opens fewer than requested if there are not enough free CIDs.
  public mutating func openEnhancedChannels(
    _ psm: SPSM, count: Int, on handle: ConnectionHandle, parameters: ChannelParameters, at now: Instant,
    into out: inout HostOutput
  ) throws(HostRequestError) -> [ChannelID] {
    out.now = now
    defer { flush(into: &out) }
    return try beginChannels(psm, count: count, on: handle, parameters)
  }

  /// Queues an SDU on a channel. It is sent as the peer's credits and the controller's buffers allow; after `full`,
  /// `ChannelEvent.maySend` reports that there is room again.
  @discardableResult
  public mutating func sendSDU(
    _ sdu: Span<UInt8>, on channel: ChannelID, of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) -> SDUSubmission {
    out.now = now
    guard let link = links.id(of: handle) else { return .notOpen }
    let submission = links[link].channels.send(sdu, on: channel)
    flush(into: &out)
    return submission
  }

  @discardableResult
  private mutating func beginChannel(
    _ psm: SPSM, on handle: ConnectionHandle, _ parameters: ChannelParameters
  ) throws(HostRequestError) -> ChannelID {
    let link = try existing(handle)
    guard let id = links[link].channels.open(psm, parameters: parameters) else { throw .noFreeChannel(handle) }
    return id
  }

  @discardableResult
  private mutating func beginChannels(
    _ psm: SPSM, count: Int, on handle: ConnectionHandle, _ parameters: ChannelParameters
  ) throws(HostRequestError) -> [ChannelID] {
    let link = try existing(handle)
    let ids = links[link].channels.openEnhanced(psm, count: count, parameters: parameters)
    guard !ids.isEmpty else { throw .noFreeChannel(handle) }
    return ids
  }

  private func existing(_ handle: ConnectionHandle, _ id: ChannelID) throws(HostRequestError) -> LinkID {
    let link = try existing(handle)
    guard links[link].channels.status(id) != nil else { throw .unknownChannel(handle, id) }
    return link
  }

  private mutating func change(
    _ link: LinkID, into out: inout HostOutput,
    _ body: (inout LinkChannels, inout [ChannelEvent]) -> Void
  ) {
    body(&links[link].channels, &out.channels)
    handOnChannelEvents(of: link, into: &out)
  }
}
