import BLECore
import BLEHCI

// Creation and end of links of BR/EDR (Core 5.4 Vol 2 Part C 4.1).
extension Air {
  /// Creates a link to a device that has answered a page.
  func classicConnect(_ classic: ClassicController, to peer: ClassicController, _ page: Page) {
    let first = ClassicEnd(
      classic, place: .first, handle: classic.controller.freeHandle(), peer: peer.address,
      packetTypes: page.packetTypes, at: now)
    let second = ClassicEnd(
      peer, place: .second, handle: peer.controller.freeHandle(), peer: classic.address,
      packetTypes: .basicRate, at: now)
    let link = ClassicLink(id: makeLinkID(), first: first, second: second, page: page, at: now)
    classicLinks[link.id] = link
    classic.add(link, at: .first)
    peer.add(link, at: .second)
    supervise(link)
    switch page.purpose {
    case .connection: send(.connectionRequest(classic.settings.classOfDevice), from: first, over: link)
    case .name: send(.featuresRequest(page: 1), from: first, over: link)
    }
  }

  /// Handles the peer's request to connect: asks the host, or answers itself.
  func receiveConnectionRequest(_ classOfDevice: ClassOfDevice, at end: ClassicEnd, over link: ClassicLink) {
    guard let classic = end.classic else { return }
    let others = classic.links.filter { $0.link !== link && $0.link.purpose == .connection }
    if others.contains(where: { $0.link[$0.place].peerAddress == end.peerAddress && $0.link[$0.place].isOpen }) {
      return refuse(link, .connectionAlreadyExists)
    }
    guard others.count < classic.configuration.maximumLinks else {
      return refuse(link, .connectionRejectedLimitedResources)
    }
    switch classic.settings.filters.acceptance(of: end.peerAddress, classOfDevice) {
    case .asksHost where classic.controller.isWanted(.connectionRequest):
      end.question = .connection
      classic.send(
        HCIConnectionRequest {
          $0.address = end.peerAddress
          $0.classOfDevice = classOfDevice
        })
      timeline.schedule(.classic(.acceptance(link.id)), at: now + classic.settings.acceptTimeout.duration)
    case .accepts: accept(link, as: .peripheral)
    case .acceptsAsCentral: accept(link, as: .central)
    case .asksHost, nil: refuse(link, .connectionRejectedLimitedResources)
    }
  }

  /// Accepts a connection, as the central if the peer allows it.
  func accept(_ link: ClassicLink, as role: LinkRole) {
    link.second.question = nil
    link.setup = .accepted
    let canSwitch = link.allowsRoleSwitch && link.commonFeatures.contains(.roleSwitch)
    send(.connectionAccepted(switchesRole: role == .central && canSwitch), from: link.second, over: link)
  }

  /// Refuses a connection. The peer leaves the link when it hears of it.
  func refuse(_ link: ClassicLink, _ reason: ErrorCode) {
    link.second.question = nil
    link.setup = .refused
    send(.connectionRefused(reason), from: link.second, over: link)
  }

  func acceptanceTimedOut(_ link: ClassicLink) {
    guard link.second.question == .connection, link.setup == .asking else { return }
    link.second.classic?.reportConnection(link, at: .second, status: .connectionAcceptTimeoutExceeded)
    refuse(link, .connectionAcceptTimeoutExceeded)
  }

  func receiveAcceptance(switchesRole: Bool, at end: ClassicEnd, over link: ClassicLink) {
    if switchesRole {
      link.central = .second
      end.classic?.reportRole(of: link, at: .first)
      link.second.classic?.reportRole(of: link, at: .second)
    }
    let authenticates = link.ends.contains { $0.classic?.settings.authenticates == true }
    if authenticates {
      ask(.authenticate, at: end, over: link)
    } else {
      send(.setupComplete, from: end, over: link)
    }
  }

  func receiveSetupComplete(at end: ClassicEnd, over link: ClassicLink) {
    guard !end.isOpen else { return }
    open(link, at: end.place)
    if end.place == .second { send(.setupComplete, from: end, over: link) }
  }

  private func open(_ link: ClassicLink, at place: ClassicPlace) {
    link.setup = .open
    let end = link[place]
    end.isOpen = true
    end.classic?.reportConnection(link, at: place, status: .success)
    let slots = BasebandPacket.usable(end.packetTypes, link.commonFeatures).map(\.slots).max() ?? 1
    if slots > 1 {
      end.classic?.send(
        HCIMaxSlotsChange {
          $0.connectionHandle = end.connectionHandle
          $0.maximumSlots = UInt8(slots)
        })
    }
  }

  // MARK: Ending

  /// Ends the link at one end and reports it to that end's host.
  func close(_ link: ClassicLink, at place: ClassicPlace, reason: ErrorCode) {
    let end = link[place]
    guard let classic = end.classic else { return }
    let wasAsked = end.question == .connection
    endSecurity(of: link, at: end, reason: reason)
    leave(link, at: place)
    if link.purpose == .name {
      if end.requests.contains(.name) { classic.reportName(of: end, status: reason) }
    } else if end.isOpen {
      classic.disconnected(end, reason: reason)
    } else if place == .first || wasAsked || link.setup == .accepted {
      classic.reportConnection(link, at: place, status: reason)
    }
  }

  /// Ends the links of a side that is reset or removed, without notice.
  func abandonClassicLinks(of classic: ClassicController) {
    for (link, place) in classic.links { leave(link, at: place) }
  }

  /// Ends a link at one end.
  func leave(_ link: ClassicLink, at place: ClassicPlace) {
    catchUp(link)
    let end = link[place]
    end.classic?.remove(end)
    end.leave()
    if link[place.other].isPresent { supervise(link) } else { classicLinks[link.id] = nil }
  }

  /// Asks the peer to end the link. `own` is the reason for this end's host. A peer that does not acknowledge it keeps the link until its
  /// supervision timeout (Core 5.4 Vol 2 Part C 4.1.2).
  func detach(_ link: ClassicLink, at end: ClassicEnd, _ reason: ErrorCode, own: ErrorCode) {
    end.isTerminating = true
    end.detachment = (now + LinkManagerTime.detachment(of: link), own)
    end.question = nil
    send(.detach(reason, own: own), from: end, over: link)
    timeline.schedule(.classic(.detachment(link.id, end.place)), at: now + LinkManagerTime.detachment(of: link))
  }

  func checkDetachment(of link: ClassicLink, at place: ClassicPlace) {
    guard link[place].isPresent, let (due, reason) = link[place].detachment, due <= now else { return }
    close(link, at: place, reason: reason)
  }

  // MARK: Supervision (Core 5.4 Vol 2 Part B 3.1)

  /// Accounts for the polls that were not played.
  func catchUp(_ link: ClassicLink) {
    guard isSteady(link) else { return }
    for end in link.ends { end.lastHeard = max(end.lastHeard, now) }
  }

  func supervise(_ link: ClassicLink) {
    guard !isSteady(link), link.supervisionTimeout.rawValue > 0 else { return }
    for end in link.ends where end.isPresent {
      let due = max(now, end.lastHeard + link.supervisionTimeout.duration)
      if let check = end.supervisionCheck, check <= due { continue }
      end.supervisionCheck = due
      timeline.schedule(.classic(.supervision(link.id, end.place)), at: due)
    }
  }

  func checkSupervision(of link: ClassicLink, at place: ClassicPlace) {
    let end = link[place]
    guard end.supervisionCheck == now else { return }
    end.supervisionCheck = nil
    guard end.isPresent else { return }
    catchUp(link)
    guard !isSteady(link) else { return }
    if end.lastHeard + link.supervisionTimeout.duration <= now, link.supervisionTimeout.rawValue > 0 {
      close(link, at: place, reason: end.isTerminating ? .connectionTerminatedByLocalHost : .connectionTimeout)
    } else {
      supervise(link)
    }
  }
}
