import BLECore
import BLEHCI

// Data from the host on links of BR/EDR (Core 5.4 Vol 4 Part E 4.1, 5.4.2).
extension ClassicController {
  func receiveData(_ packet: Span<UInt8>, _ header: ACLHeader, at end: ClassicEnd, over link: ClassicLink) {
    let handle = header.connectionHandle
    guard header.boundary != .whole, header.broadcast == 0 else { return controller.note(.badDataFlags(handle)) }
    guard header.length > 0 else { return controller.note(.emptyData(handle)) }
    guard header.length <= Int(configuration.aclDataLength) else {
      controller.note(.dataTooLong(handle, length: header.length))
      return controller.reportOverflow()
    }
    guard heldPackets < Int(configuration.aclPacketCount) else {
      controller.note(.dataBufferOverflow(handle))
      return controller.reportOverflow()
    }
    if let limit = controller.impairment.bufferLimit, heldPackets >= limit { return controller.reportOverflow() }
    end.heldPackets += 1
    let octets = packet.extracting(ACLHeader.size..<packet.count)
    end.data.append(isStart: header.boundary != .continuing, octets.withUnsafeBytes { Array($0) })
    air.wake(link)
  }

  /// Lets peers go on whose data the host had no room for.
  func wakePeers() {
    for (link, place) in links {
      link[place.other].isStalled = false
      air.wake(link)
    }
  }

  /// Discards the host's data that waits on a link. Its buffers become free.
  func flush(_ end: ClassicEnd, over link: ClassicLink) {
    end.data = HostPacketQueue()
    // A packet of which a part is in the air keeps its buffer until that has arrived.
    var isPartial = false
    if case .data(let fragment, let slots) = end.inFlight {
      isPartial = true
      end.inFlight = .data(
        DataFragment(isStart: fragment.isStart, octets: fragment.octets, endsHostPacket: true), slots: slots)
    }
    while end.heldPackets > (isPartial ? 1 : 0) {
      end.heldPackets -= 1
      controller.packetCompleted(end.handle)
    }
  }
}
