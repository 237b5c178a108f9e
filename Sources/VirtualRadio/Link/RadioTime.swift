import BLECore

// A controller has one radio: its connection events, advertising events and exchanges with advertisers never overlap, and
// it scans only while it does nothing else. Where two uses meet, one is missed, and the one that missed more of them in a row
// goes first; connection events come before advertising. The events of links that sleep happen without being
// played: they bound what others may take beyond their first exchange, and else stand back.
extension VirtualController {
  /// Whether nothing has used the radio since `instant`.
  func radioIsFree(since instant: Instant) -> Bool {
    radioFreeFrom <= instant && !state.sets.contains { $0.progress != nil }
      && !connections.contains { $0.link[$0.side].isInEvent }
  }

  /// When the radio is needed next for anything but `link`.
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

  /// How often in a row those uses were missed that must begin from now on and before `end`; the most of them.
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

  /// Whether a connection event that missed so many before it may have the radio.
  func mayHoldEvent(of link: Link, until end: Instant, missed: Int) -> Bool {
    guard radioIsFree(since: air.now) else { return false }
    let others = mostMissed(until: end, except: link)
    return max(others.events ?? 0, others.advertising ?? 0) <= missed
  }

  /// Whether an advertising event that missed so many before it may have the radio.
  func mayAdvertise(until end: Instant, missed: Int) -> Bool {
    guard radioIsFree(since: air.now) else { return false }
    let others = mostMissed(until: end, except: nil)
    return others.events.map { $0 < missed } ?? true && others.advertising ?? 0 <= missed
  }

  /// Whether the radio has nothing else to do until `end`, so that it may answer an advertiser.
  func mayAnswer(until end: Instant) -> Bool {
    let others = mostMissed(until: end, except: nil)
    return radioIsFree(since: air.now) && others.events == nil && others.advertising == nil
  }
}

extension Air {
  /// Whether a link's next connection event could as well be skipped: nothing but empty packets, and all of them heard.
  func isIdle(_ link: Link) -> Bool {
    link.isEstablished && link.pending == nil && !link.peripheral.hasWork && !link.central.hasWork && isSteady(link)
  }

  /// Whether an end has its radio for the connection event that begins now. Counts the events that it misses.
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

  /// Whether the peripheral's receive window opens in time for the connection event that begins now.
  func opensWindow(_ end: LinkEnd) -> Bool {
    guard let controller = end.controller, controller.configuration.correctsDriftLate else { return true }
    guard !end.drift.opens(at: now, after: end.lastEventEnd) else { return true }
    controller.missedAnchors += 1
    return false
  }

  /// An end is done with the connection event.
  func leaveEvent(_ end: LinkEnd) {
    guard end.isInEvent else { return }
    end.isInEvent = false
    end.lastEventEnd = now
    end.controller?.radioFreeFrom = now
  }
}
