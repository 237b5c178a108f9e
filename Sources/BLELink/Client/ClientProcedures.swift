import BLEATT
import BLECore
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

/// The client of the peer's server on each link (Core 5.4 Vol 3 Part G 4). It shares its bearer with the server on this side,
/// which can have a transaction of its own at the same time (Core 5.4 Vol 3 Part F 3.3.2).
extension HostEngine {
  // MARK: Operations

  /// Begins an operation on the peer's server, on any bearer or the given one, and returns its number; an event with that number reports its
  /// end.
  @discardableResult
  public mutating func perform(
    _ operation: GATTOperation, on handle: ConnectionHandle, over bearer: BearerID? = nil, at now: Instant,
    into out: inout HostOutput
  ) throws(HostRequestError) -> OperationID {
    out.now = now
    defer { flush(into: &out) }
    return try begin(operation, on: handle, over: bearer, into: &out)
  }

  @discardableResult
  package mutating func begin(
    _ operation: GATTOperation, on handle: ConnectionHandle, over bearer: BearerID? = nil, into out: inout HostOutput
  ) throws(HostRequestError) -> OperationID {
    let now = out.now
    let link = try existing(handle)
    var (operation, signature) = (operation, [UInt8]?.none)
    if case .writeSigned(let attribute, let value) = operation {
      if links[link].session.security.protection > .none {
        operation = .writeWithoutResponse(attribute, value)
      } else {
        signature = self.signature(ofWriting: value, to: attribute, on: link, into: &out)
      }
    }
    var client = takeClient(of: link)
    let id = client.perform(operation, on: bearer, signature: signature, at: now, into: &out.client)
    flush(client, of: link, into: &out)
    return id
  }

  /// Returns what is known about the peer's server; nil if there is no such connection.
  public func remoteDatabase(of handle: ConnectionHandle) -> RemoteDatabase? {
    links.id(of: handle).map { links[$0].client?.database ?? RemoteDatabase() }
  }

  /// Gives the client of a link the database that is known from an earlier link to the same server. Ignores a link that has ended.
  public mutating func know(_ database: RemoteDatabase, of handle: ConnectionHandle) {
    guard let link = links.id(of: handle) else { return }
    makeClient(of: link)
    links[link].client?.know(database)
  }

  /// Returns the number of operations on the peer's server that have not ended.
  public func pendingOperations(of handle: ConnectionHandle) -> Int {
    links.id(of: handle).map { links[$0].client?.pendingCount ?? 0 } ?? 0
  }

  /// Reads an attribute that every server has, so that the peer proves which packets it has received (`DeliveryRecord`). Other operations
  /// wait for it. If an operation is in progress, nothing is sent, because that operation serves the same purpose.
  mutating func askPeer(_ link: LinkID, into out: inout HostOutput) {
    // The owner of a host that relays frames would get the answer.
    guard !policy.relaysFrames, !links[link].bearers.fixed.att.hasTimedOut, links[link].delivery.question == nil,
      pendingOperations(of: links[link].handle) == 0
    else { return }
    var client = takeClient(of: link)
    let reportsBeginnings = client.reportsBeginnings
    client.reportsBeginnings = false
    links[link].delivery.question = client.perform(.read(0x0001), on: .fixed, at: out.now, into: &out.client)
    client.reportsBeginnings = reportsBeginnings
    flush(client, of: link, into: &out)
  }

  /// Returns whether an event is the end of such a request, which is not reported.
  private mutating func isAboutDelivery(_ event: GATTClientEvent, of link: LinkID) -> Bool {
    guard case .ended(let id, _) = event, id == links[link].delivery.question else { return false }
    links[link].delivery.question = nil
    return true
  }

  // MARK: From the peer

  /// Handles a PDU that a server sends. If there is no client, a response is ignored, because nothing was requested; notifications and
  /// indications create the client, because an indication needs its confirmation.
  mutating func receiveForClient(
    _ pdu: Span<UInt8>, on link: LinkID, over bearer: BearerID, into out: inout HostOutput
  ) {
    if bearer == .fixed { links[link].delivery.proved(at: out.now) }
    guard links[link].client != nil || ATTOpcode(rawValue: pdu[0]).kind != .response else { return }
    var client = takeClient(of: link)
    client.receive(pdu, on: bearer, at: out.now, into: &out.client)
    flush(client, of: link, into: &out)
  }

  // MARK: Deadlines and ends

  /// Ends the operations of a link that the server did not answer in time; returns the bearers that have timed out.
  mutating func advanceClient(of link: LinkID, into out: inout HostOutput) -> [BearerID] {
    guard let deadline = links[link].client?.nextDeadline, deadline <= out.now else { return [] }
    var client = takeClient(of: link)
    let overdue = client.advance(to: out.now, into: &out.client)
    flush(client, of: link, into: &out)
    return overdue
  }

  /// Adds an enhanced bearer to a link's client, or updates its MTU there.
  mutating func shareBearer(_ id: BearerID, of link: LinkID, into out: inout HostOutput) {
    guard id != .fixed, links[link].client != nil, let bearer = links[link].bearers[id] else { return }
    var client = takeClient(of: link)
    client.use(bearer.id, mtu: bearer.att.mtu, at: out.now, into: &out.client)
    flush(client, of: link, into: &out)
  }

  /// Removes an enhanced bearer from a link's client.
  mutating func leaveBearer(_ bearer: BearerID, of link: LinkID, into out: inout HostOutput) {
    guard links[link].client != nil else { return }
    var client = takeClient(of: link)
    client.leave(bearer, at: out.now, into: &out.client)
    flush(client, of: link, into: &out)
  }

  /// Ends the operations of a link that has ended.
  mutating func closeClient(of link: LinkID, into out: inout HostOutput) {
    guard links[link].client != nil else { return }
    var client = takeClient(of: link)
    client.close(into: &out.client)
    for event in out.client.events
    where !isAboutDelivery(event, of: link) && !isAboutAddressResolution(event, of: link, into: &out) {
      out.events.append(.client(links[link].handle, event))
    }
    out.client.removeAll()
  }

  // MARK: The application

  /// Lets the application begin operations that are due on the peers' servers.
  mutating func letApplicationUseClients(into out: inout HostOutput) {
    for link in links.ids {
      let peer = links[link].session.client
      guard application.wantsClient(of: peer, at: out.now) else { continue }
      var client = takeClient(of: link)
      application.useClient(&client, of: peer, at: out.now, into: &out.client)
      flush(client, of: link, into: &out)
    }
  }

  // MARK: The client of a link

  /// Removes and returns the client of a link, or creates one; `flush` puts it back. In between there is no other reference to it, so
  /// it is changed in place.
  mutating func takeClient(of link: LinkID) -> GATTClient {
    defer { links[link].client = nil }
    return links[link].client ?? freshClient(of: link)
  }

  /// Creates the client of a link if there is none.
  mutating func makeClient(of link: LinkID) {
    if links[link].client == nil { links[link].client = freshClient(of: link) }
  }

  private func freshClient(of link: LinkID) -> GATTClient {
    // A device has one MTU for its client and its server (Core 5.4 Vol 3 Part F 3.4.2.2).
    var client = GATTClient(mtu: server.receiveMTU)
    client.reportsBeginnings = policy.reportsClientBeginnings || policy.security.requests == .afterRefusal
    let bearers = links[link].bearers
    client.setMTU(bearers.fixed.att.mtu)
    client.use(bearers.enhancedIDs.map { ($0, bearers[$0]?.att.mtu ?? 0) })
    return client
  }

  /// Puts a link's client back: passes its events to the application, which may begin further operations, then frames its PDUs and
  /// reports its events.
  mutating func flush(_ taken: consuming GATTClient, of link: LinkID, into out: inout HostOutput) {
    let now = out.now
    let handle = links[link].handle
    var client = taken
    var actions: [ApplicationAction] = []
    var next = 0
    while next < out.client.events.count {
      guard let event = withRepetition(out.client.events[next], of: link) else {
        next += 1
        continue
      }
      next += 1
      if isAboutDelivery(event, of: link) || isAboutAddressResolution(event, of: link, into: &out) { continue }
      application.clientReported(event, &client, of: handle.client, at: now, into: &out.client, actions: &actions)
      out.events.append(.client(handle, event))
    }
    let mtu = client.mtu
    links[link].client = client
    if mtu != links[link].bearers.fixed.att.mtu {
      links[link].bearers.fixed.att.setMTU(client: mtu, server: mtu)
    }
    out.client.forEachPDU { pdu, bearer in
      if bearer == .fixed, !links[link].isClassic {
        scheduler.sendFrame(on: .attributeProtocol, of: handle, into: &out.octets) { $0.append(pdu) }
        links[link].delivery.awaited = scheduler.lastPacket(handle)
      } else {
        // One request and the confirmation of one indication fit in any queue.
        _ = links[link].send(pdu, over: bearer)
      }
    }
    out.client.removeAll()
    if !actions.isEmpty { perform(actions, into: &out) }
    raiseSecurityForClient(of: link, into: &out)
  }
}
