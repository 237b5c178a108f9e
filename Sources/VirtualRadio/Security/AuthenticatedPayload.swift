import BLECore
import BLEHCI

// Packets that prove their sender, and hosts that want some now and then (Core 5.4 Vol 6 Part B 5.1.8, 5.4).
//
// Over a path that loses nothing every ping would be answered in time. There none is played, as no empty packets are.
extension Air {
  /// Whether a packet is encrypted as its receiver expects. A termination counts in any case: it may be under way while
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

  /// Watches the ends of an encrypted link over which packets may fail to arrive.
  func watchPayloads(of link: Link) {
    for end in [link.central, link.peripheral] where needsPayloadWatch(end, of: link) && !end.isPayloadWatched {
      end.lastAuthenticated = now
      scheduleCheck(at: end, of: link)
    }
  }

  /// An end's host has set another timeout.
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

  /// Early enough for a ping to be answered before the timeout: four connection events to which the peripheral listens.
  private func pingTime(of end: LinkEnd, over link: Link) -> Instant {
    let timeout = end.authenticatedPayloadTimeout.duration
    let margin = link.timing.interval * (Int(link.timing.latency) + 1) * 4
    return end.lastAuthenticated + max(timeout - margin, timeout / 2)
  }
}
