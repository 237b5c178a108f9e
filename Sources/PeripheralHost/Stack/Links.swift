import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

extension HostStack {
  /// A link was made, or could not be. Its Advertising Set Terminated may come before or after.
  mutating func connectionCompleted(
    _ status: ErrorCode, _ handle: ConnectionHandle, _ role: LinkRole, _ details: ConnectionDetails,
    at now: Instant, into out: inout HostOutput
  ) {
    guard status == .success else {
      out.events.append(.connectionFailed(status))
      return
    }
    guard role == .peripheral, handle.isValid, advertiser != nil else { return }
    if index(of: handle) != nil {
      // A handle is given again only after its link has ended: the event of that end was lost.
      linkEnded(handle, reason: .unspecifiedError, at: now, into: &out)
    }
    strangers.remove(handle)
    var connection = Connection(handle: handle, details: details)
    connection.parameterRequestDue = configuration.connection.parameterRequest.map { now + $0.delay }
    connections.append(connection)
    scheduler.connect(handle)
    out.events.append(.connected(handle, details))
    application.clientArrived(handle.client, at: now)
    if isShuttingDown {
      disconnect(handle, reason: .remoteDeviceTerminatedPowerOff)
    } else {
      requestDataLength(handle)
    }
    advertiser?.connected()
    linkCountChanged(into: &out)
  }

  /// Offers long packets on the air (Core 5.4 Vol 4 Part E 7.8.33); a controller that refuses keeps the short ones.
  private mutating func requestDataLength(_ handle: ConnectionHandle) {
    let length = min(configuration.connection.dataLength, controller.maximumDataLength)
    guard length > DataLength.minimum, controller.commands.contains(.leSetDataLength) else { return }
    commands.add(LESetDataLength(handle, octets: length))
  }

  /// A link has ended: everything of it goes, its buffers are free at once.
  mutating func linkEnded(
    _ handle: ConnectionHandle, reason: ErrorCode, at now: Instant, into out: inout HostOutput
  ) {
    guard let index = index(of: handle) else { return }
    let subscriptions = connections[index].session.subscriptions
    var serverEvents: [ServerEvent] = []
    connections[index].close(server, &application, events: &serverEvents)
    out.events += serverEvents.map { .server(handle, $0) }
    var channelEvents: [ChannelEvent] = []
    for ticket in connections[index].channels.tickets { application.cancelled(ticket, because: .clientLeft) }
    connections[index].channels.linkLost(events: &channelEvents)
    handOn(channelEvents, of: index, at: now, into: &out)
    closeClient(of: index, at: now, into: &out)
    connections.remove(at: index)
    scheduler.disconnect(handle)
    hostBuffers.disconnect(handle)
    application.clientLeft(handle.client, at: now)
    out.events.append(.disconnected(handle, reason: reason))
    for subscription in subscriptions {
      subscribersChanged(subscription.characteristic, at: now, into: &out)
    }
    linkCountChanged(into: &out)
  }

  private mutating func linkCountChanged(into out: inout HostOutput) {
    let hasCapacity = connections.count < configuration.connection.maximumConnections && !isShuttingDown
    advertiser?.setCapacity(hasCapacity)
    reportAdvertising(into: &out)
  }

  /// Does what is due on a link.
  mutating func advanceLink(_ handle: ConnectionHandle, at now: Instant, into out: inout HostOutput) {
    guard let index = index(of: handle) else { return }
    if let due = connections[index].parameterRequestDue, due <= now {
      connections[index].parameterRequestDue = nil
      if let wish = configuration.connection.parameterRequest {
        requestParameters(wish, on: handle, at: now, into: &out)
      }
    }
    var channelEvents: [ChannelEvent] = []
    if connections[index].channels.advance(to: now, events: &channelEvents) {
      out.events.append(.fault(.signalling(handle, "no answer to the Connection Parameter Update Request")))
    }
    handOn(channelEvents, of: index, at: now, into: &out)
    var serverEvents: [ServerEvent] = []
    server.checkRequest(on: &connections[index].bearer, application: &application, at: now, events: &serverEvents)
    out.events += serverEvents.map { .server(handle, $0) }
    let isUnconfirmed = connections[index].bearer.att.checkIndication(at: now)
    let isUnanswered = advanceClient(of: index, at: now, into: &out)
    if isUnanswered { connections[index].bearer.att.timeOut() }
    guard isUnconfirmed || isUnanswered else { return }
    out.events.append(.fault(.transactionTimeout(handle)))
    disconnect(handle, reason: .remoteUserTerminatedConnection)
  }

  /// Disconnects a link (Core 5.4 Vol 4 Part E 7.1.6).
  mutating func disconnect(_ handle: ConnectionHandle, reason: ErrorCode) {
    var command = HCIDisconnect()
    command.connectionHandle = handle
    command.reason = reason
    commands.add(command)
  }
}
