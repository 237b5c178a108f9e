import BLECore

// Connection events, packet by packet, with acknowledgement and the more-data bit (Core 5.4 Vol 6 Part B 4.5).
extension Air {
  /// Returns whether both ends are certain to hear every connection event, so that idle ones can be skipped. With `immediate` timing no
  /// events are played, and everything that can arrive counts as heard.
  func isSteady(_ link: Link) -> Bool {
    if configuration.timing == .immediate { return isOpen(link) }
    return propagation.isClean(from: link.central.controllerID, to: link.peripheral.controllerID)
      && propagation.isClean(from: link.peripheral.controllerID, to: link.central.controllerID)
  }

  /// Brings a sleeping link up to date. Must be called before it or its path changes.
  func catchUp(_ link: Link) { link.catchUp(to: now, heard: link.isComplete && isSteady(link)) }

  /// Schedules the right connection event after new data for the link or a change to its path.
  func wake(_ link: Link) {
    guard link.isComplete, !link.isInEvent else { return }
    if configuration.timing == .immediate {
      if !linksWithWork.contains(link.id) { linksWithWork.append(link.id) }
    } else {
      scheduleNextEvent(of: link)
    }
  }

  private func scheduleNextEvent(of link: Link) {
    let needsNext =
      !link.isEstablished || link.pending != nil || link.peripheral.hasWork || !isSteady(link) || observer != nil
    guard link.isComplete, needsNext || link.central.hasWork else { return }
    catchUp(link)
    let counter = needsNext ? link.nextCounter : link.nextAttended
    if let scheduled = link.scheduledCounter, scheduled <= counter { return }
    link.scheduledCounter = counter
    link.epoch &+= 1
    timeline.schedule(.connectionEvent(link.id, link.epoch), at: link.anchor(of: counter))
  }

  /// Starts a connection event at its anchor point. The central sends first.
  func holdConnectionEvent(_ link: Link) {
    guard let counter = link.scheduledCounter, link.isComplete else { return }
    link.scheduledCounter = nil
    link.nextCounter = counter
    link.nextAnchor = now
    // Work that starts with the change waits until the end of the event.
    link.isInEvent = true
    if let pending = link.pending, pending.instant <= counter { apply(pending, to: link) }
    guard link.nextAnchor == now else { return moveEvent(of: link) }
    guard !propagation.isHung(link.central.controllerID), takesRadio(link.central, over: link) else {
      return closeEvent(of: link)
    }
    let isAwake =
      !link.isEstablished || link.peripheral.hasWork || link.pending != nil || counter >= link.nextAttended
    let listens = isAwake && opensWindow(link) && takesRadio(link.peripheral, over: link)
    link.exchanges = 0
    link.central.isInEvent = true
    link.peripheral.isInEvent = listens
    // Until a packet arrives, the peripheral counts as not having heard this event.
    if isAwake { link.hasMissed = true }
    transmit(from: .central, over: link, at: now, isHeardByListener: listens)
  }

  /// Moves the events from this one on to the time that the central has chosen.
  private func moveEvent(of link: Link) {
    link.isInEvent = false
    link.scheduledCounter = link.nextCounter
    link.epoch &+= 1
    timeline.schedule(.connectionEvent(link.id, link.epoch), at: link.nextAnchor)
  }

  private func transmit(from side: LinkSide, over link: Link, at start: Instant, isHeardByListener: Bool = true) {
    let sender = link[side]
    let isNew = sender.inFlight == nil
    let packet = sender.nextPacket()
    // A new empty packet that nobody heard is not repeated until there is something to send.
    if isNew, !isHeardByListener, !sender.hasWork { sender.inFlight = nil }
    if side == .central {
      link.centralHasMore = packet.moreData
      link.exchanges += 1
    }
    let end = start + sender.transmitPHY.airTime(payload: packet.length)
    let arrives =
      isHeardByListener && keepsEvent(link, until: end)
      && propagation.carries(
        from: sender.controllerID, to: link[side.other].controllerID, payload: packet.length)
    link.transmission = LinkTransmission(side: side, packet: packet, arrives: arrives)
    timeline.schedule(.linkPacket(link.id, link.epoch), at: end)
  }

  /// Handles the end of a packet in a connection event.
  func finishPacket(of link: Link) {
    guard let transmission = link.transmission else { return }
    link.transmission = nil
    if observer != nil { observe(transmission, over: link) }
    guard transmission.arrives, link.isComplete else { return closeEvent(of: link) }
    let packet = transmission.packet
    let receiver = link[transmission.side.other]
    take(packet, at: receiver, over: link)
    guard link.isComplete else { return closeEvent(of: link) }
    switch transmission.side {
    case .central:
      link.lastAttended = link.nextCounter
      link.hasMissed = false
      if link.exchanges == 1 { hearAnchor(link) }
      transmit(from: .peripheral, over: link, at: now + LinkLayerTime.interFrameSpace)
    case .peripheral:
      guard packet.moreData || link.centralHasMore, hasRoomForAnotherExchange(link) else { return closeEvent(of: link) }
      transmit(from: .central, over: link, at: now + LinkLayerTime.interFrameSpace)
    }
  }

  private func closeEvent(of link: Link) {
    link.isInEvent = false
    for end in [link.central, link.peripheral] { leaveEvent(end) }
    link.nextAnchor = link.anchor(of: link.nextCounter + 1)
    link.nextCounter += 1
    guard link.isComplete else { return }
    scheduleNextEvent(of: link)
  }

  /// Applies the acknowledgement scheme (Core 5.4 Vol 6 Part B 4.5.9): first the header bits, then the payload if it is new.
  private func take(_ packet: LinkPacket, at receiver: LinkEnd, over link: Link) {
    receiver.lastHeard = now
    receiver.isEstablished = true
    if packet.expected != receiver.sequence {
      receiver.sequence.toggle()
      acknowledge(receiver)
    }
    guard packet.sequence == receiver.expected, hasRoom(for: packet, at: receiver) else { return }
    receiver.expected.toggle()
    deliver(packet, to: receiver, over: link)
  }

  /// Returns whether the receiver can accept the packet. A controller whose host accepts no more data does not acknowledge it, so it is
  /// repeated.
  private func hasRoom(for packet: LinkPacket, at receiver: LinkEnd) -> Bool {
    guard case .data = packet.payload else { return true }
    return receiver.controller?.hasRoomForData ?? true
  }

  /// Handles the acknowledgement of this end's last packet.
  private func acknowledge(_ end: LinkEnd) {
    let payload = end.inFlight
    end.inFlight = nil
    if case .data(let fragment) = payload, fragment.endsHostPacket { complete(end) }
  }

  /// Completes one of the host's packets, which frees its buffer.
  private func complete(_ end: LinkEnd) {
    end.heldPackets -= 1
    end.controller?.packetCompleted(end.handle)
  }

  func deliver(_ packet: LinkPacket, to end: LinkEnd, over link: Link) {
    guard isIntact(packet, at: end) else { return failIntegrity(of: link) }
    switch packet.payload {
    case .empty: break
    case .data(let fragment): end.controller?.deliver(fragment, to: end)
    case .control(let pdu): receive(pdu, at: end, over: link)
    }
  }

  /// Exchanges all waiting packets at once, one after the other, while the path is open (`Timing.immediate`).
  func exchangeImmediately(over link: Link) {
    while link.isComplete, link.central.hasWork || link.peripheral.hasWork {
      var isStuck = true
      for side in [LinkSide.central, .peripheral] {
        let sender = link[side]
        let receiver = link[side.other]
        guard link.isComplete, sender.hasWork,
          propagation.canCarry(from: sender.controllerID, to: receiver.controllerID)
        else { continue }
        let packet = sender.nextPacket()
        guard hasRoom(for: packet, at: receiver) else { continue }
        isStuck = false
        if observer != nil { observe(LinkTransmission(side: side, packet: packet, arrives: true), over: link) }
        sender.sequence.toggle()
        receiver.expected.toggle()
        deliver(packet, to: receiver, over: link)
        acknowledge(sender)
      }
      if isStuck || !isOpen(link) { return }
    }
  }
}

/// A packet of a connection event in transmission.
struct LinkTransmission {
  var side: LinkSide
  var packet: LinkPacket
  /// Whether the receiver gets the packet.
  var arrives: Bool
}
