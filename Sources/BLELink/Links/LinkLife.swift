import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLESMP

extension HostEngine {
  /// Handles the end of a connection attempt. The Advertising Set Terminated event may come before or after.
  mutating func connectionCompleted(
    _ status: ErrorCode, _ handle: ConnectionHandle, _ role: LinkRole, _ details: ConnectionDetails,
    into out: inout HostOutput
  ) {
    guard status == .success else {
      self.role.connectionCompleted(status, handle)
      takeRoleEvents(into: &out)
      // Directed advertising ended without a connection (Core 5.4 Vol 4 Part E 7.7.65.1).
      if Role.linkRole == .central || status != .advertisingTimeout { out.events.append(.connectionFailed(status)) }
      return
    }
    guard role == Role.linkRole, handle.isValid, isReady else { return }
    var details = details
    if details.ownOnAir == nil { details.ownOnAir = self.role.ownAddress(of: handle) }
    addLink(handle, details, role, into: &out)
  }

  /// Adds a link that the controller has made.
  mutating func addLink(
    _ handle: ConnectionHandle, _ details: ConnectionDetails, _ role: LinkRole, into out: inout HostOutput
  ) {
    let now = out.now
    // A handle is reused only after its link has ended, so the disconnection event was lost.
    if let old = links.id(of: handle) { linkEnded(old, reason: .unspecifiedError, into: &out) }
    hci.supervisor.knows(handle)
    let id = links.add(
      Link(handle: handle, details: details, role: role, security: securityManager(of: details, at: now), at: now))
    scheduler.connect(handle, over: details.transport)
    out.events.append(.connected(handle, details))
    application.clientArrived(handle.client, at: now)
    if details.transport == .le { self.role.connectionCompleted(.success, handle) }
    recognizePeer(of: id)
    disconnectStrangers(into: &out)
    if phase == .shuttingDown {
      disconnect(id, reason: .remoteDeviceTerminatedPowerOff)
    } else if details.transport == .le {
      setUp(id, into: &out)
    }
    linkCountChanged(into: &out)
    occurred(.connected(details.peer), on: handle, into: &out)
  }

  /// Begins the procedures of a new link over LE.
  private mutating func setUp(_ link: LinkID, into out: inout HostOutput) {
    let handle = links[link].handle
    links[link].parameterRequest.due = policy.parameterRequest.map { out.now + $0.delay }
    if policy.dataLengthDelay > .zero {
      links[link].postponed.dataLengthDue = out.now + policy.dataLengthDelay
    } else {
      setDataLength(handle, octets: policy.dataLength)
    }
    requestPreferredPHY(handle)
    beginEncryption(of: link, into: &out)
  }

  /// Sets the address with which a link was made, after its advertising set is known (Core 5.4 Vol 4 Part E 7.7.65.18). Until then it is the
  /// address of some connectable set, which may be a different one while sets change their addresses in turn.
  mutating func nameOwnAddress(of handle: ConnectionHandle) {
    guard let link = links.id(of: handle), let address = role.ownAddress(of: handle) else { return }
    links[link].details.ownOnAir = address
    links[link].security.setOwnAddress(identity.address(onAir: address))
  }

  /// Proposes long packets on the air (Core 5.4 Vol 4 Part E 7.8.33); if the controller refuses, packets remain short.
  package mutating func setDataLength(_ handle: ConnectionHandle, octets: Int) {
    let length = min(octets, hci.profile.maximumDataLength)
    guard length > DataLength.minimum, hci.profile.commands.contains(.leSetDataLength) else { return }
    hci.commands.add(LESetDataLength(handle, octets: length), for: .link(handle, .other))
  }

  /// Requests the preferred PHY. The slower ones are allowed too, so that the peer can request them later: the fastest PHY that
  /// both sides allow is chosen (Core 5.4 Vol 6 Part B 5.1.10).
  private mutating func requestPreferredPHY(_ handle: ConnectionHandle) {
    guard let phy = policy.preferredPHY, phy != .le1M, hci.profile.commands.contains(.leSetPHY),
      hci.profile.phys.isSuperset(of: PHYSet(phy))
    else { return }
    let phys = phy == .leCoded ? .leCoded : hci.profile.phys
    setPHY(handle, transmit: phys, receive: phys)
  }

  package mutating func setPHY(_ handle: ConnectionHandle, transmit: PHYSet, receive: PHYSet) {
    let command = LESetPHY {
      $0.connectionHandle = handle
      $0.txPHYs = transmit
      $0.rxPHYs = receive
    }
    hci.commands.add(command, for: .link(handle, .other))
  }

  /// Ends a link: removes everything that belongs to it, including its commands, and frees its buffers at once.
  mutating func linkEnded(_ link: LinkID, reason: ErrorCode, into out: inout HostOutput) {
    guard !links[link].hasEnded else { return }
    let handle = links[link].handle
    hci.commands.withdraw { $0.link == handle }
    hci.supervisor.forgottenLinks.remove(handle)
    let subscriptions = links[link].session.subscriptions
    endSecurity(of: link, into: &out)
    var serverEvents: [ServerEvent] = []
    links[link].closeBearers(server, &application, events: &serverEvents)
    out.events += serverEvents.map { .server(handle, $0) }
    for ticket in links[link].channels.tickets { application.cancelled(ticket, because: .clientLeft) }
    links[link].channels.linkLost(events: &out.channels)
    handOnChannelEvents(of: link, into: &out)
    cutClassicPairing(of: link, into: &out)
    links[link].classic = nil
    closeClient(of: link, into: &out)
    links.end(link)
    scheduler.disconnect(handle)
    out.withdrawData(of: handle)
    hci.hostBuffers.disconnect(handle)
    if reason == .connectionTimeout { application.clientLost(handle.client, at: out.now) }
    application.clientLeft(handle.client, at: out.now)
    out.events.append(.disconnected(handle, reason: reason))
    for subscription in subscriptions {
      subscribersChanged(subscription.characteristic, into: &out)
    }
    linkCountChanged(into: &out)
    occurred(.disconnected, on: handle, into: &out)
  }

  private mutating func linkCountChanged(into out: inout HostOutput) {
    bondTable.isKnownToRole = false
    role.linkCountChanged(links.count(over: .le), at: out.now)
    takeRoleEvents(into: &out)
  }

  /// Handles everything that is due on a link.
  mutating func advanceLink(_ link: LinkID, into out: inout HostOutput) {
    let now = out.now
    let handle = links[link].handle
    if let due = links[link].parameterRequest.due, due <= now {
      links[link].parameterRequest.due = nil
      if let request = policy.parameterRequest { requestParameters(request, on: link, into: &out) }
    }
    answerPostponed(on: link, into: &out)
    advanceSecurity(of: link, into: &out)
    if links[link].channels.advance(to: now, events: &out.channels) {
      out.events.append(.fault(.signalling(handle, "no answer to the Connection Parameter Update Request")))
    }
    handOnChannelEvents(of: link, into: &out)
    if links[link].isClassic {
      links[link].classic?.channels.advance(to: now, events: &out.classicChannels)
      handOnClassicChannelEvents(of: link, into: &out)
      advanceDerivation(of: link, into: &out)
      advanceSearch(of: link, into: &out)
    }
    retryBearers(of: link, at: now)
    advanceTransactions(of: link, into: &out)
  }

  /// Ends bearers whose transactions have timed out (Core 5.4 Vol 3 Part F 3.3.3): a bearer on a dynamic channel with its channel, the
  /// bearer of the fixed channel with the link.
  private mutating func advanceTransactions(of link: LinkID, into out: inout HostOutput) {
    let now = out.now
    let handle = links[link].handle
    var serverEvents: [ServerEvent] = []
    var overdue: [BearerID] = []
    links[link].bearers.forEach { bearer in
      server.checkRequest(on: &bearer, application: &application, at: now, events: &serverEvents)
      if bearer.att.checkIndication(at: now) { overdue.append(bearer.id) }
    }
    out.events += serverEvents.map { .server(handle, $0) }
    overdue += advanceClient(of: link, into: &out)
    for id in overdue {
      guard links[link].bearers.contains(id) else { continue }
      guard id == .fixed, !links[link].isClassic else {
        out.events.append(.fault(.bearerTimeout(handle, id.rawValue)))
        closeBearer(id, of: link, into: &out)
        continue
      }
      links[link].bearers.fixed.att.timeOut()
      out.events.append(.fault(.transactionTimeout(handle)))
      return disconnect(link, reason: .remoteUserTerminatedConnection)
    }
  }

  /// Disconnects a link (Core 5.4 Vol 4 Part E 7.1.6). Nothing more is sent on it or received from it; its end is reported when the
  /// controller reports it.
  mutating func disconnect(_ link: LinkID, reason: ErrorCode) {
    guard !links[link].isClosing else { return }
    links[link].phase = .closing
    let handle = links[link].handle
    scheduler.close(handle)
    let command = HCIDisconnect {
      $0.connectionHandle = handle
      $0.reason = reason
    }
    hci.commands.add(command, for: .link(handle, .disconnect))
  }

  /// Disconnects a link for the owner.
  package mutating func disconnect(_ handle: ConnectionHandle, reason: ErrorCode) throws(HostRequestError) {
    disconnect(try existing(handle), reason: reason)
  }

  /// Disconnects all links.
  package mutating func disconnectAll(reason: ErrorCode) {
    for link in links.ids { disconnect(link, reason: reason) }
  }

  /// Sends a frame with that payload on a channel, even if it violates the protocol.
  package mutating func sendFrame(
    _ payload: [UInt8], on channel: ChannelID, of handle: ConnectionHandle, into out: inout HostOutput
  ) throws(HostRequestError) {
    _ = try existing(handle)
    scheduler.sendFrame(on: channel, of: handle, into: &out.octets) { $0.append(payload) }
  }

  /// Whether the frames of all channels but the Security Manager's are passed to the owner (`LinkPolicy.relaysFrames`).
  package var relaysFrames: Bool {
    get { policy.relaysFrames }
    set { policy.relaysFrames = newValue }
  }

  /// Returns whether so many frames wait on a link that its peer evidently does not take them.
  package func isFlooded(_ handle: ConnectionHandle) -> Bool { scheduler.isFlooded(handle) }
}
