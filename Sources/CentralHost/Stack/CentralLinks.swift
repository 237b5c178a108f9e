import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP

extension CentralStack {
  mutating func connect(_ request: ConnectionRequest) {
    isConnecting = true
    let parameters = request.parameters
    guard usesExtendedCommands else {
      commands.add(
        LECreateConnection {
          $0.scanInterval = Self.initiatingWindow
          $0.scanWindow = Self.initiatingWindow
          $0.peerAddressType = request.peerType
          $0.peerAddress = request.peer
          $0.ownAddressType = ownAddressType
          $0.intervalMinimum = parameters.minimum
          $0.intervalMaximum = parameters.maximum
          $0.maximumLatency = parameters.maximumLatency
          $0.supervisionTimeout = parameters.supervisionTimeout
        })
      return
    }
    var entry = InitiatingPHYParameters()
    entry.scanInterval = Self.initiatingWindow
    entry.scanWindow = Self.initiatingWindow
    entry.intervalMinimum = parameters.minimum
    entry.intervalMaximum = parameters.maximum
    entry.maximumLatency = parameters.maximumLatency
    entry.supervisionTimeout = parameters.supervisionTimeout
    commands.add(
      LEExtendedCreateConnection {
        $0.peerAddressType = request.peerType
        $0.peerAddress = request.peer
        $0.ownAddressType = ownAddressType
        $0.phys = request.phys.isEmpty ? .le1M : request.phys
        $0.parameters = Array(repeating: entry, count: $0.phys.parameterCount)
      })
  }

  /// Listening all the time for the advertiser.
  private static var initiatingWindow: ScanInterval { ScanInterval(rawValue: 0x10) }

  /// A link was made, or could not be.
  mutating func connectionCompleted(
    _ status: ErrorCode, _ handle: ConnectionHandle, _ role: LinkRole, _ details: ConnectionDetails,
    into out: inout CentralOutput
  ) {
    guard status == .success else {
      isConnecting = false
      out.events.append(.connectionFailed(status))
      return
    }
    guard role == .central, handle.isValid, isReady else { return }
    isConnecting = false
    // A handle is given again only after its link has ended: the event of that end was lost.
    if index(of: handle) != nil { linkEnded(handle, reason: .unspecifiedError, into: &out) }
    links.append(CentralLink(handle: handle, details: details, mtu: configuration.mtu))
    scheduler.connect(handle)
    out.events.append(.connected(handle, details))
    setDataLength(handle, octets: configuration.dataLength)
    if let phy = configuration.preferredPHY, controller.commands.contains(.leSetPHY) {
      setPHY(handle, transmit: PHYSet(phy), receive: PHYSet(phy))
    }
  }

  /// Offers long packets on the air (Core 5.4 Vol 4 Part E 7.8.33).
  mutating func setDataLength(_ handle: ConnectionHandle, octets: Int) {
    let length = min(octets, controller.maximumDataLength)
    guard length > DataLength.minimum, controller.commands.contains(.leSetDataLength) else { return }
    commands.add(LESetDataLength(handle, octets: length))
  }

  mutating func setPHY(_ handle: ConnectionHandle, transmit: PHYSet, receive: PHYSet) {
    commands.add(
      LESetPHY {
        $0.connectionHandle = handle
        $0.txPHYs = transmit
        $0.rxPHYs = receive
      })
  }

  mutating func update(_ handle: ConnectionHandle, _ parameters: LinkParameters) {
    commands.add(
      LEConnectionUpdate {
        $0.connectionHandle = handle
        $0.intervalMinimum = parameters.minimum
        $0.intervalMaximum = parameters.maximum
        $0.maximumLatency = parameters.maximumLatency
        $0.supervisionTimeout = parameters.supervisionTimeout
      })
  }

  mutating func disconnect(_ handle: ConnectionHandle, reason: ErrorCode) {
    commands.add(
      HCIDisconnect {
        $0.connectionHandle = handle
        $0.reason = reason
      })
  }

  /// A link has ended: its operations end, everything of it goes, its buffers are free at once.
  mutating func linkEnded(_ handle: ConnectionHandle, reason: ErrorCode, into out: inout CentralOutput) {
    guard let index = index(of: handle) else {
      out.events.append(.fault(.unknownLink(handle)))
      return
    }
    links[index].client.close(into: &out.client)
    reportClient(handle, into: &out)
    out.client.removeAll()
    links[index].channels.linkLost(events: &out.channels)
    reportChannels(handle, into: &out)
    links.remove(at: index)
    scheduler.disconnect(handle)
    out.events.append(.disconnected(handle, reason: reason))
  }

  /// Does what is due on a link.
  mutating func advanceLink(_ handle: ConnectionHandle, at now: Instant, into out: inout CentralOutput) {
    guard let index = index(of: handle) else { return }
    let hadTimedOut = links[index].client.hasTimedOut
    links[index].client.advance(to: now, into: &out.client)
    let isOver = links[index].client.hasTimedOut && !hadTimedOut
    flushClient(of: index, into: &out)
    _ = links[index].channels.advance(to: now, events: &out.channels)
    reportChannels(handle, into: &out)
    var events: [ServerEvent] = []
    server.checkRequest(on: &links[index].bearer, application: &application, at: now, events: &events)
    out.events += events.map { .server(handle, $0) }
    let isUnconfirmed = links[index].bearer.att.checkIndication(at: now)
    if isOver { links[index].bearer.att.timeOut() }
    guard isOver || isUnconfirmed else { return }
    out.events.append(.fault(.transactionTimeout(handle)))
    disconnect(handle, reason: .remoteUserTerminatedConnection)
  }
}
