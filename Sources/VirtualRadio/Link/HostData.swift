import BLECore
import BLEHCI

// Data between a controller and its host, and host-to-controller flow control (Core 5.4 Vol 4 Part E 4.1).
extension VirtualController {
  /// Receives data from the host, as one ACL packet without its H4 type.
  func receiveData(_ packet: Span<UInt8>) {
    guard let header = try? ACLHeader(packet) else { return }
    let handle = header.connectionHandle
    if let classic, let (link, end) = classic.link(handle) {
      return classic.receiveData(packet, header, at: end, over: link)
    }
    guard let (link, end) = connection(handle) else { return note(.dataForUnknownConnection(handle)) }
    // Hosts use 0b00 and 0b01 on LE. 0b10, for flushable data on BR/EDR, is treated as 0b00.
    guard header.boundary != .whole, header.broadcast == 0 else {
      if configuration.has(.losesBufferOfBadFlags) { lostBuffers += 1 }
      return note(.badDataFlags(handle))
    }
    guard header.length > 0 else { return note(.emptyData(handle)) }
    guard header.length <= Int(configuration.aclDataLength) else {
      note(.dataTooLong(handle, length: header.length))
      return configuration.has(.discardsLongData) ? () : reportOverflow()
    }
    guard heldPackets + lostBuffers < Int(configuration.aclPacketCount) else {
      note(.dataBufferOverflow(handle))
      if configuration.has(.assertsDataBuffers) { return failAssertion() }
      return reportOverflow()
    }
    if let limit = impairment.bufferLimit, heldPackets >= limit { return reportOverflow() }
    end.heldPackets += 1
    let octets = packet.extracting(ACLHeader.size..<packet.count)
    end.data.append(isStart: header.boundary != .continuing, octets.withUnsafeBytes { Array($0) })
    air.wake(link)
  }

  func reportOverflow() { send(HCIDataBufferOverflow { $0.linkType = 0x01 }) }

  /// Completes one of the host's packets after the peer has acknowledged its last octet.
  func packetCompleted(_ handle: UInt16) {
    if completed.isEmpty { air.noteCredit(of: id) }
    if let index = completed.firstIndex(where: { $0.connectionHandle.rawValue == handle }) {
      completed[index].count += 1
    } else {
      completed.append(CompletedPackets(ConnectionHandle(rawValue: handle), count: 1))
    }
  }

  /// Reports the packets that have completed since the last report to the host.
  func reportCompletedPackets() {
    guard !completed.isEmpty else { return }
    let entries = completed
    completed.removeAll(keepingCapacity: true)
    send(HCINumberOfCompletedPackets { $0.completed = entries })
  }

  // MARK: To the host

  /// The maximum length of an ACL packet to the host.
  private var longestPacket: Int {
    let length = Int(configuration.aclDataLength)
    return max(1, min(length, state.hostDataLength ?? length))
  }

  /// Delivers a data PDU as one ACL packet, or as several if it is longer than the host accepts. A controller that joins data keeps it
  /// until the L2CAP PDU is complete or a packet is full.
  func deliver(_ fragment: DataFragment, to end: LinkEnd) {
    guard configuration.joinsData else { return enqueue(fragment.octets, isStart: fragment.isStart, of: end) }
    if fragment.isStart { flushJoined(of: end) }
    let isStart = end.joined.octets.isEmpty ? fragment.isStart : end.joined.isStart
    end.joined.isStart = isStart
    end.joined.octets += fragment.octets
    if fragment.isStart { end.joined.missing = Self.frameLength(fragment.octets) }
    end.joined.missing -= fragment.octets.count
    if end.joined.missing <= 0 || end.joined.octets.count >= longestPacket { flushJoined(of: end) }
  }

  /// Returns the length of the L2CAP PDU that starts here, including its header (Core 5.4 Vol 3 Part A 3.1). If the octets have no length
  /// field, returns their count.
  private static func frameLength(_ octets: ArraySlice<UInt8>) -> Int {
    guard octets.count >= 4 else { return octets.count }
    return 4 + Int(octets[octets.startIndex]) + Int(octets[octets.startIndex + 1]) << 8
  }

  private func flushJoined(of end: LinkEnd) {
    let joined = end.joined
    guard !joined.octets.isEmpty else { return }
    end.joined.octets = []
    // Any later packet of the same L2CAP PDU is a continuation.
    end.joined.isStart = false
    enqueue(joined.octets[...], isStart: joined.isStart, of: end)
  }

  private func enqueue(_ octets: ArraySlice<UInt8>, isStart: Bool, of end: LinkEnd) {
    enqueue(octets, isStart: isStart, handle: end.handle, limit: longestPacket)
  }

  /// Sends data to the host in packets of at most `limit` octets, when the host has buffers for them.
  func enqueue(_ octets: ArraySlice<UInt8>, isStart: Bool, handle: UInt16, limit: Int) {
    var (rest, isStart) = (octets, isStart)
    while !rest.isEmpty {
      let piece = rest.prefix(limit)
      rest = rest.dropFirst(limit)
      hostBuffers.waiting.append(HostBuffers.Packet(handle: handle, isStart: isStart, octets: piece))
      isStart = false
    }
    sendWaitingData()
  }

  /// Whether data from a link can be kept until the host accepts it.
  var hasRoomForData: Bool { hostBuffers.waiting.count < HostBuffers.room }

  func sendWaitingData() {
    while let packet = hostBuffers.takeNext(limit: state.hostBufferLimit) {
      sendData(handle: packet.handle, isStart: packet.isStart, packet.octets)
    }
  }

  func forgetHostBuffers(of handle: UInt16) {
    hostBuffers.forget(handle)
    sendWaitingData()
  }
}
