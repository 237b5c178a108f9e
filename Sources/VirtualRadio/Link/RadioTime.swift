import BLECore

// A controller has one radio: its connection events, advertising events and exchanges with advertisers never overlap, and it scans only
// when the radio is otherwise idle. If two uses collide, one is missed. The one that has missed more in a row has priority; if they are
// equal, connection events precede advertising. The events of sleeping links are not played, but they still occur: they limit the length of
// other uses beyond their first exchange, and otherwise yield.
extension VirtualController {
  /// Returns whether nothing has used the radio since `instant`.
  func radioIsFree(since instant: Instant) -> Bool {
    radioFreeFrom <= instant && !state.sets.contains { $0.progress != nil }
      && !connections.contains { $0.link[$0.side].isInEvent }
  }

  /// Returns when the radio is next needed for anything but `link`.
  func nextRadioUse(except link: Link) -> Instant? {
    var next: Instant?
    for other in connections where other.link !== link && other.link.isComplete {
      let anchor = other.link.nextAnchor(after: air.now, at: other.side)
      next = min(next ?? anchor, anchor)
    }
    for set in state.sets where set.isEnabled && set.nextEvent > air.now {
      next = min(next ?? set.nextEvent, set.nextEvent)
    }
    return next
  }

  /// Returns the highest number of consecutive misses among the uses that must begin between now and `end`.
  private func mostMissed(until end: Instant, except link: Link?) -> (events: Int?, advertising: Int?) {
    var result: (events: Int?, advertising: Int?)
    for other in connections where other.link !== link {
      guard let anchor = other.link.scheduledAnchor, anchor >= air.now, anchor < end, !air.isIdle(other.link) else {
        continue
      }
      result.events = max(result.events ?? 0, other.link[other.side].missedEvents)
    }
    for set in state.sets where set.isEnabled && set.nextEvent >= air.now && set.nextEvent < end {
      result.advertising = max(result.advertising ?? 0, set.missedEvents)
    }
    return result
  }

  /// Returns whether a connection event may use the radio after this many missed ones.
  func mayHoldEvent(of link: Link, until end: Instant, missed: Int) -> Bool {
    guard radioIsFree(since: air.now) else { return false }
    let others = mostMissed(until: end, except: link)
    return max(others.events ?? 0, others.advertising ?? 0) <= missed
  }

  /// Returns whether an advertising event may use the radio after this many missed ones.
  func mayAdvertise(until end: Instant, missed: Int) -> Bool {
    guard radioIsFree(since: air.now) else { return false }
    let others = mostMissed(until: end, except: nil)
    return others.events.map { $0 < missed } ?? true && others.advertising ?? 0 <= missed
  }

  /// Returns whether the radio is free until `end`, so that it may answer an advertiser.
  func mayAnswer(until end: Instant) -> Bool {
    let others = mostMissed(until: end, except: nil)
    return radioIsFree(since: air.now) && others.events == nil && others.advertising == nil
  }
}

extension Air {
  /// Returns whether a link's next connection event can be skipped: it has only empty packets, and all are heard.
  func isIdle(_ link: Link) -> Bool {
    link.isEstablished && link.pending == nil && !link.peripheral.hasWork && !link.central.hasWork && isSteady(link)
  }

  /// Returns whether an end gets its radio for the connection event that begins now. Counts the events that it misses.
  func takesRadio(_ end: LinkEnd, over link: Link) -> Bool {
    guard let controller = end.controller else { return false }
    let isFree = controller.mayHoldEvent(of: link, until: earliestEnd(of: link), missed: end.missedEvents)
    if isFree {
      end.missedEvents = 0
    } else if !isIdle(link) {
      end.missedEvents += 1
    }
    return isFree
  }

  /// Returns whether the peripheral's receive window opens in time for the connection event that begins now.
  func opensWindow(_ link: Link) -> Bool {
    let end = link.peripheral
    guard let controller = end.controller, controller.configuration.correctsDriftLate else { return true }
    guard !end.drift.opens(at: now, every: link.timing.interval, after: end.lastEventEnd) else { return true }
    controller.missedAnchors += 1
    return false
  }

  /// Notes that the peripheral has heard the first packet of a connection event.
  func hearAnchor(_ link: Link) {
    guard link.peripheral.controller?.configuration.correctsDriftLate == true else { return }
    link.peripheral.drift.hear(on: link.central.transmitPHY)
  }

  /// Returns whether the peripheral uses its radio for the current connection event until `end`, and not before that for the next one. A
  /// next event that it skips by its latency does not need the radio.
  func keepsEvent(_ link: Link, until end: Instant) -> Bool {
    let peripheral = link.peripheral
    guard peripheral.controller?.configuration.correctsDriftLate == true, link.timing.latency == 0 || peripheral.hasWork
    else { return true }
    return peripheral.drift.preemption().map { end <= $0 } ?? true
  }

  /// Ends the connection event at one end.
  func leaveEvent(_ end: LinkEnd) {
    guard end.isInEvent else { return }
    end.isInEvent = false
    end.lastEventEnd = now
    end.controller?.radioFreeFrom = now
  }
}
