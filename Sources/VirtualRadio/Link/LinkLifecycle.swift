import BLECore
import BLEHCI

// Creation and end of links (Core 5.4 Vol 6 Part B 4.5, 4.5.2, 5.1.6).
extension Air {
  /// Creates a link from an initiator's connection request. `arrives` is false if the advertiser did not hear the request: then the
  /// initiator is alone on the link.
  func connect(
    _ initiator: VirtualController, _ request: ConnectionRequest, to advertiser: VirtualController,
    _ advertisement: Advertisement, on phy: RadioPHY, arrives: Bool
  ) -> Link {
    let central = LinkEnd(
      controller: initiator, side: .central, handle: initiator.freeHandle(), own: request.own,
      peer: initiator.peer(behind: advertisement.own), phy: phy, at: now)
    let peripheral = LinkEnd(
      controller: advertiser, side: .peripheral, handle: advertiser.freeHandle(), own: advertisement.own,
      peer: advertiser.peer(behind: request.own), phy: phy, at: now)
    let bothSelect2 = [initiator, advertiser].allSatisfy {
      $0.configuration.features.contains(.channelSelectionAlgorithm2)
    }
    let id = makeLinkID()
    let selects2 = bothSelect2 || !advertisement.isLegacy
    let link = Link(
      id: id, central: central, peripheral: peripheral, timing: request.timing,
      channelMap: initiator.state.channelMap, usesChannelSelection2: selects2,
      access: makeAccess(id, usesChannelSelection2: selects2),
      firstAnchor: now + advertisement.transmitWindowDelay + request.timing.offset)
    links[link.id] = link
    central.limitEvents(to: request.eventLength)
    peripheral.limitEvents(to: ConnectionEventLength(rawValue: 0))

    initiator.connected(link, at: .central)
    if arrives {
      advertiser.connected(link, at: .peripheral)
      advertiser.setConnected(advertisement.key, handle: peripheral.handle)
    } else {
      peripheral.leave()
    }
    for controller in [initiator, advertiser] { controller.reportChannelSelection(of: link) }
    begin(link)
    return link
  }

  private func begin(_ link: Link) {
    if configuration.timing == .immediate, link.isComplete, isOpen(link) {
      link.central.isEstablished = true
      link.peripheral.isEstablished = true
    } else {
      timeline.schedule(.establishmentDeadline(link.id), at: link.nextAnchor + link.timing.interval * 6)
    }
    for end in [link.central, link.peripheral] where end.isPresent && wantsLongerData(end) {
      start(.dataLength(end.localLength), at: end, over: link)
    }
    supervise(link)
    wake(link)
  }

  /// Returns whether packets can arrive in both directions.
  func isOpen(_ link: Link) -> Bool {
    propagation.canCarry(from: link.central.controllerID, to: link.peripheral.controllerID)
      && propagation.canCarry(from: link.peripheral.controllerID, to: link.central.controllerID)
  }

  /// Ends a link that is not established six connection intervals after its creation.
  func checkEstablishment(of link: Link) {
    for end in [link.central, link.peripheral] where end.isPresent && !end.isEstablished {
      close(link, at: end.side, reason: .connectionFailedToBeEstablished)
    }
  }

  // MARK: Supervision

  /// Starts the supervision of a link on which packets may be lost.
  func supervise(_ link: Link) {
    guard !link.isComplete || !isSteady(link) else { return }
    watchPayloads(of: link)
    for end in [link.central, link.peripheral] { watchProcedure(at: end, over: link) }
    for end in [link.central, link.peripheral] where end.isPresent {
      let due = max(now, end.lastHeard + link.timing.supervisionTimeout)
      // An earlier check is enough: it schedules the next one. A check for a longer timeout would be too late.
      if let check = end.supervisionCheck, check <= due { continue }
      end.supervisionCheck = due
      timeline.schedule(.supervision(link.id, end.side), at: due)
    }
  }

  func checkSupervision(of link: Link, at side: LinkSide) {
    let end = link[side]
    guard end.supervisionCheck == now else { return }
    end.supervisionCheck = nil
    guard end.isPresent else { return }
    catchUp(link)
    guard !link.isComplete || !isSteady(link) else { return }
    if end.lastHeard + link.timing.supervisionTimeout <= now {
      close(link, at: side, reason: end.isTerminating ? .connectionTerminatedByLocalHost : .connectionTimeout)
    } else {
      supervise(link)
    }
  }

  // MARK: Ending

  /// Ends the link at one end and reports it to that end's host.
  func close(_ link: Link, at side: LinkSide, reason: ErrorCode) {
    guard let controller = link[side].controller else { return }
    leave(link, at: side)
    controller.disconnected(link[side], reason: reason)
  }

  /// Ends the links of a controller that is reset or removed, without notice.
  func abandonLinks(of controller: VirtualController) {
    for (link, side) in controller.connections { leave(link, at: side) }
  }

  private func leave(_ link: Link, at side: LinkSide) {
    catchUp(link)
    leaveEvent(link[side])
    link[side].leave()
    link.epoch &+= 1
    link.scheduledCounter = nil
    link.isInEvent = false
    for end in [link.central, link.peripheral] { leaveEvent(end) }
    if link[side.other].isPresent { supervise(link) } else { links[link.id] = nil }
  }

  /// Handles LL_TERMINATE_IND (5.1.6): this end leaves the link at once, the peer when it has the acknowledgement.
  func receiveTermination(_ reason: ErrorCode, at end: LinkEnd, over link: Link) {
    let peer = end.side.other
    if observer != nil { observeTerminationAcknowledgement(from: end, over: link) }
    close(link, at: end.side, reason: reason)
    if configuration.timing == .immediate {
      close(link, at: peer, reason: .connectionTerminatedByLocalHost)
    } else {
      let acknowledgement = LinkLayerTime.interFrameSpace + end.transmitPHY.airTime(payload: 0)
      timeline.schedule(.terminated(link.id, peer), at: now + acknowledgement)
    }
  }
}

/// The values that an initiator chooses for its connection request (Core 5.4 Vol 6 Part B 2.3.3.1).
struct ConnectionRequest {
  var own: OwnAddress
  var timing: LinkTiming
  /// The maximum connection event length that the central's host has set; zero for none.
  var eventLength: ConnectionEventLength
}
