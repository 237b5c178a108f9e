import BLECore
import BLEHCI

// Reports about links to the host (Core 5.4 Vol 4 Part E 7.7).
extension VirtualController {
  func connected(_ link: Link, at side: LinkSide) {
    add(link, at: side)
    let end = link[side]
    reportConnection(status: .success, side, handle: end.handle, own: end.own, peer: end.peer, link.timing)
  }

  /// Reports a failed connection. All fields but status and role are unused.
  func reportConnectionFailure(_ status: ErrorCode, role: LinkSide) {
    let timing = LinkTiming(intervalUnits: 0, latency: 0, timeoutUnits: 0)
    reportConnection(
      status: status, role, handle: 0, own: OwnAddress(type: .publicDevice, address: .zero),
      peer: ReportedPeer(type: .publicDevice, address: .zero), timing)
  }

  private func reportConnection(
    status: ErrorCode, _ side: LinkSide, handle: UInt16, own: OwnAddress, peer: ReportedPeer, _ timing: LinkTiming
  ) {
    // The enhanced event replaces the other if the host has unmasked it (7.7.65.10).
    if isWanted(subevent: .leEnhancedConnectionComplete) {
      send(
        LEEnhancedConnectionComplete {
          $0.status = status
          $0.connectionHandle = ConnectionHandle(rawValue: handle)
          $0.role = LinkRole(rawValue: side.rawValue)
          $0.peerAddressType = peer.type
          $0.peerAddress = peer.address
          $0.localResolvablePrivateAddress = own.localResolvable
          $0.peerResolvablePrivateAddress = peer.resolvable
          $0.interval = ConnectionInterval(rawValue: timing.intervalUnits)
          $0.latency = timing.latency
          $0.supervisionTimeout = SupervisionTimeout(rawValue: timing.timeoutUnits)
          $0.centralClockAccuracy = side == .peripheral ? .ppm50 : .ppm500
        })
    } else {
      send(
        LEConnectionComplete {
          $0.status = status
          $0.connectionHandle = ConnectionHandle(rawValue: handle)
          $0.role = LinkRole(rawValue: side.rawValue)
          $0.peerAddressType = peer.type.deviceType
          $0.peerAddress = peer.address
          $0.interval = ConnectionInterval(rawValue: timing.intervalUnits)
          $0.latency = timing.latency
          $0.supervisionTimeout = SupervisionTimeout(rawValue: timing.timeoutUnits)
          $0.centralClockAccuracy = side == .peripheral ? .ppm50 : .ppm500
        })
    }
  }

  /// Reports the channel selection algorithm. Only controllers that support algorithm #2 have the event.
  func reportChannelSelection(of link: Link) {
    guard configuration.features.contains(.channelSelectionAlgorithm2) else { return }
    for end in [link.central, link.peripheral] where end.controller === self {
      send(
        LEChannelSelectionAlgorithm {
          $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
          $0.algorithm = link.usesChannelSelection2 ? 1 : 0
        })
    }
  }

  /// Removes the link at this end. The host's unacknowledged packets are lost, and their buffers become free without a report (Core 5.4 Vol
  /// 4 Part E 4.3).
  func disconnected(_ end: LinkEnd, reason: ErrorCode) {
    remove(end)
    completed.removeAll { $0.connectionHandle.rawValue == end.handle }
    forgetHostBuffers(of: end.handle)
    send(
      HCIDisconnectionComplete {
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.reason = reason
      })
  }

  func reportTiming(of end: LinkEnd, _ timing: LinkTiming, status: ErrorCode) {
    send(
      LEConnectionUpdateComplete {
        $0.status = status
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.interval = ConnectionInterval(rawValue: timing.intervalUnits)
        $0.latency = timing.latency
        $0.supervisionTimeout = SupervisionTimeout(rawValue: timing.timeoutUnits)
      })
  }

  func reportParameterRequest(_ range: LinkTimingRange, of end: LinkEnd) {
    send(
      LERemoteConnectionParameterRequest {
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.intervalMinimum = ConnectionInterval(rawValue: range.minimumIntervalUnits)
        $0.intervalMaximum = ConnectionInterval(rawValue: range.maximumIntervalUnits)
        $0.maximumLatency = range.latency
        $0.timeout = SupervisionTimeout(rawValue: range.timeoutUnits)
      })
  }

  func reportFeatures(of end: LinkEnd, status: ErrorCode) {
    send(
      LEReadRemoteFeaturesComplete {
        $0.status = status
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.features = end.remoteFeatures ?? []
      })
  }

  func reportVersion(of end: LinkEnd) {
    send(
      HCIReadRemoteVersionInformationComplete {
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.version = CoreVersion(rawValue: end.remoteVersion?.version ?? 0)
        $0.manufacturer = ControllerManufacturer(rawValue: end.remoteVersion?.companyIdentifier ?? 0)
        $0.subversion = end.remoteVersion?.subversion ?? 0
      })
  }

  func reportPHY(of end: LinkEnd, over link: Link, status: ErrorCode) {
    send(
      LEPHYUpdateComplete {
        $0.status = status
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.txPHY = PHY(end.transmitPHY)
        $0.rxPHY = PHY(link[end.side.other].transmitPHY)
      })
  }

  func reportDataLength(of end: LinkEnd, over link: Link) {
    func time(_ time: UInt16, on phy: RadioPHY) -> UInt16 {
      phy.isCoded ? max(time, LinkDataLength.minimumTimeOnCoded) : time
    }
    send(
      LEDataLengthChange {
        $0.connectionHandle = ConnectionHandle(rawValue: end.handle)
        $0.maximumTxOctets = end.effectiveLength.maximumTransmitOctets
        $0.maximumTxTime = time(end.effectiveLength.maximumTransmitTime, on: end.transmitPHY)
        $0.maximumRxOctets = end.effectiveLength.maximumReceiveOctets
        $0.maximumRxTime = time(end.effectiveLength.maximumReceiveTime, on: link[end.side.other].transmitPHY)
      })
  }
}
