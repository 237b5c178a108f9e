import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// Enhanced ATT bearers (Core 5.4 Vol 3 Part G 5.3): credit-based channels to the SPSM of the Enhanced Attribute Protocol, each with its own
/// MTU and transactions. They share the client, server and session of the link.
extension HostEngine {
  // MARK: - Opening

  /// Opens enhanced bearers to a peer that is known to support them (Core 5.4 Vol 3 Part G 6.2.1), at most five at a time, and in total no
  /// more than this side supports.
  package mutating func openBearers(
    _ count: Int, on handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    let link = try existing(handle)
    guard policy.enhancedBearers > 0 else { throw .unknownPSM(.enhancedAttributeProtocol) }
    guard links[link].session.security.protection > .none else { throw .notEncrypted(handle) }
    openBearers(count, of: link)
  }

  private mutating func openBearers(_ count: Int, of link: LinkID) {
    let room = policy.enhancedBearers - links[link].channels.all.count { $0.psm == .enhancedAttributeProtocol }
    let ids = links[link].channels.openEnhanced(
      .enhancedAttributeProtocol, count: min(count, room), parameters: policy.bearerParameters)
    links[link].bearerOpening.begin(ids)
  }

  /// Opens enhanced bearers if the policy says so, once a link is encrypted and its client has reported that it supports them.
  mutating func considerBearers(of link: LinkID) {
    guard policy.opensEnhancedBearers, policy.enhancedBearers > 0,
      !links[link].bearers.hasEnhanced,
      links[link].bearerOpening.isUnused, links[link].session.security.protection > .none,
      links[link].session.features.contains(.enhancedBearer)
    else { return }
    openBearers(policy.enhancedBearers, of: link)
  }

  /// Returns the enhanced bearers of a link.
  public func enhancedBearers(of handle: ConnectionHandle) -> [EnhancedBearer] {
    guard let link = links.id(of: handle) else { return [] }
    let bearers = links[link].bearers
    return bearers.enhancedIDs.map { EnhancedBearer(id: $0, mtu: bearers[$0]?.att.mtu ?? 0) }
  }

  /// Handles a change of a link's protection.
  package mutating func setSecurity(
    _ security: LinkSecurity, of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    out.now = now
    guard let link = links.id(of: handle) else { return }
    links[link].session.security = security
    considerBearers(of: link)
    flush(into: &out)
  }

  /// Retries if due, after both sides have refused each other's request (Core 5.4 Vol 3 Part G 5.4).
  mutating func retryBearers(of link: LinkID, at now: Instant) {
    guard let count = links[link].bearerOpening.takeRetry(at: now) else { return }
    openBearers(count, of: link)
  }

  // MARK: - Events of their channels

  /// Returns whether an event concerns an enhanced bearer; then `followBearers` handles it, and the application does not get it.
  func isAboutBearer(_ event: ChannelEvent, of link: LinkID) -> Bool {
    guard policy.enhancedBearers > 0 else { return false }
    switch event {
    case .opened(let status): return status.psm == .enhancedAttributeProtocol
    case .closed(_, let psm, _, _), .peerRefused(let psm, _, _): return psm == .enhancedAttributeProtocol
    case .maySend(let id), .reconfigured(let id, _, _): return links[link].bearers.bearer(on: id) != nil
    case .reconfigurationAnswered, .authorizationAsked: return false
    }
  }

  /// Updates the bearers of a link after events of their channels.
  mutating func followBearers(of handle: ConnectionHandle, into out: inout HostOutput) {
    while !out.bearerEvents.isEmpty {
      let event = out.bearerEvents.removeFirst()
      guard let link = links.id(of: handle) else { continue }
      switch event {
      case .opened(let status): bearerOpened(status, of: link, into: &out)
      case .closed(let id, _, let closure, _):
        let details = links[link].details
        // A peripheral gives the central time to retry first.
        let wait =
          Role.linkRole == .central
          ? Duration.zero : max(BearerOpening.retryDelay, details.interval * (2 * (details.latency + 1)))
        links[link].bearerOpening.closed(id, closure, retryAt: out.now + wait)
        bearerClosed(BearerID(on: id), of: link, into: &out)
      case .peerRefused(_, let result, _): links[link].bearerOpening.refusedPeer(with: result)
      case .reconfigured(let id, _, _):
        guard let bearer = links[link].bearers.bearer(on: id), let status = links[link].channels.status(id) else {
          break
        }
        _ = links[link].bearers.with(bearer) {
          $0.att.setChannelMTU(receive: status.receiveMTU, send: status.sendMTU)
        }
        shareBearer(bearer, of: link, into: &out)
      case .maySend, .reconfigurationAnswered, .authorizationAsked: break
      }
    }
  }

  private mutating func bearerOpened(_ status: ChannelStatus, of link: LinkID, into out: inout HostOutput) {
    links[link].bearerOpening.opened(status.id)
    let att = ATTBearer(receiveMTU: status.receiveMTU, sendMTU: status.sendMTU)
    let bearer = BearerID(on: status.id)
    links[link].bearers.open(ServerBearer(att, id: bearer))
    links[link].session.bearerCount = links[link].bearers.count
    shareBearer(bearer, of: link, into: &out)
    sendIndications(to: link, into: &out)
  }

  private mutating func bearerClosed(_ id: BearerID, of link: LinkID, into out: inout HostOutput) {
    guard id != .fixed, links[link].bearers.contains(id) else { return }
    var events: [ServerEvent] = []
    links[link].closeBearer(id, server, &application, events: &events)
    faults?.agenda.forget(id, of: links[link].handle)
    report(events, on: links[link].handle, into: &out)
    leaveBearer(id, of: link, into: &out)
    sendIndications(to: link, into: &out)
  }

  // MARK: - PDUs

  /// Handles an SDU on a bearer's channel; returns false if the channel belongs to no bearer.
  mutating func receiveBearer(
    _ sdu: Span<UInt8>, on id: ChannelID, of link: LinkID, into out: inout HostOutput
  ) -> Bool {
    guard let bearer = links[link].bearers.bearer(on: id) else { return false }
    if links[link].session.security.protection > .none {
      receiveATT(sdu, on: link, over: bearer, into: &out)
    } else {
      // Core 5.4 Vol 3 Part G 5.3.2: the channel shall be encrypted.
      closeBearer(bearer, of: link, into: &out)
    }
    return true
  }

  /// Passes what was written for a bearer on a dynamic channel to that channel; nothing was written there for the bearer of the fixed
  /// channel. If the channel does not accept it, because the peer takes none of the answers, the bearer is closed.
  mutating func submit(to bearer: BearerID, of link: LinkID, into out: inout HostOutput) {
    guard !out.bearer.isEmpty else { return }
    defer { out.bearer.removeAll() }
    guard links[link].bearers.contains(bearer) else { return }
    let submission = out.bearer.withSpan { links[link].send($0, over: bearer) }
    if submission != .queued { closeBearer(bearer, of: link, into: &out) }
  }

  /// Closes a bearer on a dynamic channel, but not the link.
  mutating func closeBearer(_ bearer: BearerID, of link: LinkID, into out: inout HostOutput) {
    if bearer == .fixed { return closeAttributeChannel(of: link, into: &out) }
    _ = links[link].bearers.with(bearer) { $0.att.timeOut() }
    links[link].channels.abort(bearer.channel, at: out.now, events: &out.channels)
    handOnChannelEvents(of: link, into: &out)
  }

  /// Returns the bearer for a value of a characteristic. If there are enhanced bearers, each characteristic uses one of them, so that its values
  /// keep their order; if that one has no room, another one is used, and the fixed channel if none has room.
  func bearer(for characteristic: CharacteristicIndex, to link: LinkID) -> BearerID {
    guard links[link].bearers.hasEnhanced else { return .fixed }
    let bearers = links[link].bearers.enhancedIDs
    for step in bearers.indices {
      let bearer = bearers[(characteristic.position + step) % bearers.count]
      if hasRoom(bearer, of: link) { return bearer }
    }
    return .fixed
  }

  /// Returns whether an enhanced bearer would send a PDU as soon as a buffer is free.
  private func hasRoom(_ bearer: BearerID, of link: LinkID) -> Bool {
    links[link].channels.hasRoom(bearer.channel)
  }

  /// Sends waiting indications, as many as there are bearers without an unconfirmed one.
  mutating func sendIndications(to link: LinkID, into out: inout HostOutput) {
    sendIndication(to: link, over: .fixed, into: &out)
    guard links[link].bearers.hasEnhanced else { return }
    for bearer in links[link].bearers.enhancedIDs where hasRoom(bearer, of: link) {
      sendIndication(to: link, over: bearer, into: &out)
    }
  }

  private mutating func sendIndication(to link: LinkID, over bearer: BearerID, into out: inout HostOutput) {
    guard let indication = links[link].nextIndication(server, over: bearer, at: out.now) else { return }
    send(indication, to: link, over: bearer, into: &out)
  }
}

/// The state of an enhanced bearer, for observers.
public struct EnhancedBearer: Hashable, Sendable {
  /// Its identity on the link.
  public var id: BearerID
  /// The longest PDU in octets, in both directions.
  public var mtu: Int
}

extension ACLScheduler {
  /// Writes a PDU for a bearer: for the fixed channel straight into the output run, for a bearer on a dynamic channel into the buffer that
  /// `HostEngine.submit` sends. Over BR/EDR, every bearer is on a dynamic channel.
  mutating func sendATT(
    over bearer: BearerID, of handle: ConnectionHandle, into out: inout HostOutput, _ write: (inout OctetBuffer) -> Void
  ) {
    guard bearer != .fixed || isClassic(handle) else {
      return sendFrame(on: .attributeProtocol, of: handle, into: &out.octets, write)
    }
    write(&out.bearer)
  }
}

extension LinkPolicy {
  /// The channels of enhanced bearers that peers can open, on encrypted links only (Core 5.4 Vol 3 Part G 5.3.2).
  var bearerChannels: [PublishedChannel] {
    guard enhancedBearers > 0 else { return [] }
    return [
      PublishedChannel(
        psm: .enhancedAttributeProtocol, parameters: bearerParameters,
        requirement: AccessRequirement(protection: .encrypted), maximumChannels: enhancedBearers)
    ]
  }

  /// This side's parameters for an enhanced bearer. A PDU is one K-frame if the MPS allows it, and a peer has at most one request and
  /// one confirmation in progress, besides commands.
  var bearerParameters: ChannelParameters {
    ChannelParameters(mtu: mtu, mps: max(64, min(mtu, 247)), credits: .window(octets: 4096), queueLimit: 16 * 1024)
  }
}
