import BLECore
import BLEHCI

// Authenticated packets and the authenticated payload timeout (Core 5.4 Vol 6 Part B 5.1.8, 5.4).
//
// On a path without loss every ping would be answered in time, so pings, like empty packets, are not played there.
extension Air {
  /// Returns whether a packet is encrypted as its receiver expects. A termination is always accepted, because it may be in flight while
  /// encryption starts.
  func isIntact(_ packet: LinkPacket, at end: LinkEnd) -> Bool {
    switch packet.payload {
    case .empty, .control(.terminate): return true
    case .data, .control:
      guard packet.key == end.encryption.receiveKey else { return false }
      if packet.key != nil { end.lastAuthenticated = now }
      return true
    }
  }

  func receivePing(_ pdu: ControlPDU, at end: LinkEnd, over link: Link) {
    switch pdu {
    case .pingRequest where !localFeatures(of: end).contains(.ping):
      send(.unknownResponse(pdu.opcode), from: end, over: link)
    case .pingRequest: send(.pingResponse, from: end, over: link)
    default: finishProcedure(at: end, over: link) { $0 == .ping }
    }
  }

  // MARK: The timeout

  /// Starts the payload checks at the ends of an encrypted link on which packets may be lost.
  func watchPayloads(of link: Link) {
    for end in [link.central, link.peripheral] where needsPayloadWatch(end, of: link) && !end.isPayloadWatched {
      end.lastAuthenticated = now
      scheduleCheck(at: end, of: link)
    }
  }

  /// Applies a new timeout from an end's host.
  func changePayloadTimeout(at end: LinkEnd, of link: Link, to timeout: AuthenticatedPayloadTimeout) {
    end.authenticatedPayloadTimeout = timeout
    if end.isPayloadWatched { scheduleCheck(at: end, of: link) } else { watchPayloads(of: link) }
  }

  private func needsPayloadWatch(_ end: LinkEnd, of link: Link) -> Bool {
    end.isPresent && end.encryption.isOn && localFeatures(of: end).contains(.ping)
      && !(link.isComplete && isSteady(link))
  }

  func checkPayloads(of link: Link, at side: LinkSide, epoch: UInt32) {
    let end = link[side]
    guard end.payloadWatch == epoch else { return }
    end.isPayloadWatched = false
    guard needsPayloadWatch(end, of: link) else { return }
    if end.lastAuthenticated + end.authenticatedPayloadTimeout.duration <= now {
      end.lastAuthenticated = now
      end.controller?.reportPayloadTimeout(of: end)
    } else if pingTime(of: end, over: link) <= now, end.procedure != .ping, !end.waiting.contains(.ping) {
      start(.ping, at: end, over: link)
    }
    scheduleCheck(at: end, of: link)
  }

  private func scheduleCheck(at end: LinkEnd, of link: Link) {
    end.isPayloadWatched = true
    end.payloadWatch &+= 1
    let deadline = end.lastAuthenticated + end.authenticatedPayloadTimeout.duration
    let ping = pingTime(of: end, over: link)
    timeline.schedule(.payloadCheck(link.id, end.side, end.payloadWatch), at: max(now, now < ping ? ping : deadline))
  }

  /// Returns the time of a ping early enough for an answer before the timeout: four connection events that the peripheral listens to.
  private func pingTime(of end: LinkEnd, over link: Link) -> Instant {
    let timeout = end.authenticatedPayloadTimeout.duration
    let margin = link.timing.interval * (Int(link.timing.latency) + 1) * 4
    return end.lastAuthenticated + max(timeout - margin, timeout / 2)
  }
}
