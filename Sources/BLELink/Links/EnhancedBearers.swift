import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP

/// Enhanced ATT bearers (Core 5.4 Vol 3 Part G 5.3): credit-based channels to the SPSM of the Enhanced Attribute Protocol, each with an
/// MTU and transactions of its own. Client, server and session are those of the link.
extension HostEngine {
  // MARK: - Opening

  /// Opens enhanced bearers to a peer that is known to take them (Core 5.4 Vol 3 Part G 6.2.1), at most five at a time and as many in
  /// all as this side takes.
  package mutating func openBearers(
    _ count: Int, on handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) throws(HostRequestError) {
    let index = try existing(handle)
    guard policy.enhancedBearers > 0 else { throw .unknownPSM(.enhancedAttributeProtocol) }
    guard links[index].session.security.protection > .none else { throw .notEncrypted(handle) }
    openBearers(count, of: index)
  }

  private mutating func openBearers(_ count: Int, of index: Int) {
    let room = policy.enhancedBearers - links[index].channels.all.count { $0.psm == .enhancedAttributeProtocol }
    let ids = links[index].channels.openEnhanced(
      .enhancedAttributeProtocol, count: min(count, room), parameters: policy.bearerParameters)
    links[index].bearerOpening.begin(ids)
  }

  /// A link is encrypted, or its client has said that it takes enhanced bearers: where the policy says so, they are opened.
  mutating func considerBearers(of index: Int) {
    guard policy.opensEnhancedBearers, policy.enhancedBearers > 0, links[index].bearers.count == 1,
      links[index].bearerOpening.isUnused, links[index].session.security.protection > .none,
      links[index].session.features.contains(.enhancedBearer)
    else { return }
    openBearers(policy.enhancedBearers, of: index)
  }

  /// The enhanced bearers of a link.
  public func enhancedBearers(of handle: ConnectionHandle) -> [EnhancedBearer] {
    guard let index = index(of: handle) else { return [] }
    return links[index].bearers.dropFirst().map { EnhancedBearer(id: $0.id, mtu: $0.att.mtu) }
  }

  /// The protection of a link has changed.
  package mutating func setSecurity(
    _ security: LinkSecurity, of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput
  ) {
    guard let index = index(of: handle) else { return }
    links[index].session.security = security
    considerBearers(of: index)
    flush(at: now, into: &out)
  }

  /// Asks once more, after both sides have refused each other's request (Core 5.4 Vol 3 Part G 5.4).
  mutating func retryBearers(of index: Int, at now: Instant) {
    guard let count = links[index].bearerOpening.takeRetry(at: now) else { return }
    openBearers(count, of: index)
  }

  // MARK: - What happens to their channels

  /// Whether an event is about an enhanced bearer; then `followBearers` follows it, and no application hears of it.
  func isAboutBearer(_ event: ChannelEvent, of index: Int) -> Bool {
    guard policy.enhancedBearers > 0 else { return false }
    switch event {
    case .opened(let status): return status.psm == .enhancedAttributeProtocol
    case .closed(_, let psm, _, _), .peerRefused(let psm, _, _): return psm == .enhancedAttributeProtocol
    case .maySend(let id), .reconfigured(let id, _, _): return links[index].bearer(on: id) != nil
    case .reconfigurationAnswered, .authorizationAsked: return false
    }
  }

  /// Makes the bearers of a link follow what happened to their channels.
  mutating func followBearers(of handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    while !out.bearerEvents.isEmpty {
      let event = out.bearerEvents.removeFirst()
      guard let index = index(of: handle) else { continue }
      switch event {
      case .opened(let status): bearerOpened(status, of: index, at: now, into: &out)
      case .closed(let id, _, let closure, _):
        let details = links[index].details
        // A peripheral leaves the central the time to be first.
        let wait =
          Role.linkRole == .central
          ? Duration.zero : max(BearerOpening.retryDelay, details.interval * (2 * (details.latency + 1)))
        links[index].bearerOpening.closed(id, closure, retryAt: now + wait)
        bearerClosed(BearerID(rawValue: id.rawValue), of: index, at: now, into: &out)
      case .peerRefused(_, let result, _): links[index].bearerOpening.refusedPeer(with: result)
      case .reconfigured(let id, _, _):
        guard let place = links[index].bearer(on: id), let status = links[index].channels.status(id) else { break }
        links[index].bearers[place].att.setChannelMTU(receive: status.receiveMTU, send: status.sendMTU)
        shareBearer(place, of: index, at: now, into: &out)
      case .maySend, .reconfigurationAnswered, .authorizationAsked: break
      }
    }
  }

  private mutating func bearerOpened(
    _ status: ChannelStatus, of index: Int, at now: Instant, into out: inout HostOutput
  ) {
    links[index].bearerOpening.opened(status.id)
    let att = ATTBearer(receiveMTU: status.receiveMTU, sendMTU: status.sendMTU)
    links[index].bearers.append(ServerBearer(att, id: BearerID(rawValue: status.id.rawValue)))
    links[index].session.bearerCount = links[index].bearers.count
    shareBearer(links[index].bearers.count - 1, of: index, at: now, into: &out)
    sendIndications(to: index, at: now, into: &out)
  }

  private mutating func bearerClosed(_ id: BearerID, of index: Int, at now: Instant, into out: inout HostOutput) {
    guard id != .fixed, let place = links[index].bearers.firstIndex(where: { $0.id == id }) else { return }
    var events: [ServerEvent] = []
    links[index].closeBearer(place, server, &application, events: &events)
    faults?.agenda.forget(id, of: links[index].handle)
    report(events, on: links[index].handle, at: now, into: &out)
    leaveBearer(id, of: index, at: now, into: &out)
    sendIndications(to: index, at: now, into: &out)
  }

  // MARK: - PDUs

  /// Takes an SDU of a bearer's channel; false when the channel is none of a bearer.
  mutating func receiveBearer(
    _ sdu: Span<UInt8>, on id: ChannelID, of index: Int, at now: Instant, into out: inout HostOutput
  ) -> Bool {
    guard let place = links[index].bearer(on: id) else { return false }
    if links[index].session.security.protection > .none {
      receiveATT(sdu, on: index, over: place, at: now, into: &out)
    } else {
      // Core 5.4 Vol 3 Part G 5.3.2: the channel shall be encrypted.
      closeBearer(place, of: index, at: now, into: &out)
    }
    return true
  }

  /// Gives what was written for an enhanced bearer to its channel; nothing for the bearer of the fixed channel. A peer that takes none
  /// of its answers loses the bearer.
  mutating func submit(to place: Int, of index: Int, at now: Instant, into out: inout HostOutput) {
    guard place > 0 else { return }
    defer { out.bearer.removeAll() }
    guard !out.bearer.isEmpty, links[index].bearers.indices.contains(place) else { return }
    let id = links[index].bearers[place].channel
    let submission = out.bearer.withSpan { links[index].channels.send($0, on: id) }
    if submission != .queued { closeBearer(place, of: index, at: now, into: &out) }
  }

  /// Closes an enhanced bearer, and nothing else.
  mutating func closeBearer(_ place: Int, of index: Int, at now: Instant, into out: inout HostOutput) {
    let id = links[index].bearers[place].channel
    links[index].bearers[place].att.timeOut()
    links[index].channels.abort(id, at: now, events: &out.channels)
    handOnChannelEvents(of: index, at: now, into: &out)
  }

  /// The bearer over which a value of a characteristic goes. Where there are enhanced bearers each characteristic has one of them, so
  /// that its values keep their order; when that one has no room another one takes its place, and the fixed channel when none has.
  func bearer(for characteristic: CharacteristicIndex, to index: Int) -> Int {
    let count = links[index].bearers.count - 1
    guard count > 0 else { return 0 }
    for step in 0..<count {
      let place = 1 + (characteristic.position + step) % count
      if hasRoom(place, of: index) { return place }
    }
    return 0
  }

  /// Whether an enhanced bearer would send a PDU as soon as a buffer is free.
  private func hasRoom(_ place: Int, of index: Int) -> Bool {
    links[index].channels.hasRoom(links[index].bearers[place].channel)
  }

  /// Sends indications that wait, as many as there are bearers without an unconfirmed one.
  mutating func sendIndications(to index: Int, at now: Instant, into out: inout HostOutput) {
    for place in links[index].bearers.indices where place == 0 || hasRoom(place, of: index) {
      guard let indication = links[index].nextIndication(server, over: place, at: now) else { continue }
      send(indication, to: index, over: place, at: now, into: &out)
    }
  }
}

/// An enhanced bearer as an observer sees it.
public struct EnhancedBearer: Hashable, Sendable {
  /// Its name on the link.
  public var id: BearerID
  /// The longest PDU that both sides take, in octets.
  public var mtu: Int
}

extension Link {
  /// The place of the enhanced bearer on a channel.
  func bearer(on id: ChannelID) -> Int? {
    guard bearers.count > 1 else { return nil }
    return bearers.firstIndex { $0.id.rawValue == id.rawValue && $0.id != .fixed }
  }
}

extension ServerBearer {
  /// Its channel.
  var channel: ChannelID { ChannelID(rawValue: id.rawValue) }
}

extension ACLScheduler {
  /// Writes a PDU for a bearer: for the one of the fixed channel straight into the output run, for another one where
  /// `HostEngine.submit` takes it from.
  mutating func sendATT(
    over bearer: BearerID, of handle: ConnectionHandle, into out: inout HostOutput, _ write: (inout OctetBuffer) -> Void
  ) {
    guard bearer != .fixed else { return sendFrame(on: .attributeProtocol, of: handle, into: &out.octets, write) }
    write(&out.bearer)
  }
}

extension LinkPolicy {
  /// What peers open enhanced bearers to: encrypted links only (Core 5.4 Vol 3 Part G 5.3.2).
  var bearerChannels: [PublishedChannel] {
    guard enhancedBearers > 0 else { return [] }
    return [
      PublishedChannel(
        psm: .enhancedAttributeProtocol, parameters: bearerParameters,
        requirement: AccessRequirement(protection: .encrypted), maximumChannels: enhancedBearers)
    ]
  }

  /// What this side takes on an enhanced bearer. A PDU is one K-frame where the MPS allows it, and a peer has a request and the
  /// confirmation of an indication under way, beside commands.
  var bearerParameters: ChannelParameters {
    ChannelParameters(mtu: mtu, mps: max(64, min(mtu, 247)), credits: .window(octets: 4096), queueLimit: 16 * 1024)
  }
}
