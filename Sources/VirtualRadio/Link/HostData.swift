import BLECore
import BLEHCI

// Data between a controller and its host, and the flow control of the host's data (Core 5.4 Vol 4 Part E 4.1).
extension VirtualController {
  /// Data from the host, as one ACL packet without its H4 type.
  func receiveData(_ packet: Span<UInt8>) {
    guard let header = try? ACLHeader(packet) else { return }
    let handle = header.connectionHandle
    guard let (link, end) = connection(handle) else { return note(.dataForUnknownConnection(handle)) }
    // Hosts use 0b00 and 0b01 on LE; 0b10, for flushable data on BR/EDR, is taken for 0b00.
    guard header.boundary != .whole, header.broadcast == 0 else { return note(.badDataFlags(handle)) }
    guard header.length > 0 else { return note(.emptyData(handle)) }
    guard header.length <= Int(configuration.aclDataLength) else {
      note(.dataTooLong(handle, length: header.length))
      return reportOverflow()
    }
    guard heldPackets < Int(configuration.aclPacketCount) else {
      note(.dataBufferOverflow(handle))
      return reportOverflow()
    }
    if let limit = impairment.bufferLimit, heldPackets >= limit { return reportOverflow() }
    end.heldPackets += 1
    let octets = packet.extracting(ACLHeader.size..<packet.count)
    end.data.append(isStart: header.boundary != .continuing, octets.withUnsafeBytes { Array($0) })
    air.wake(link)
  }

  private func reportOverflow() { send(HCIDataBufferOverflow { $0.linkType = 0x01 }) }

  /// The peer has acknowledged the last octet of one of the host's packets.
  func packetCompleted(_ handle: UInt16) {
    if completed.isEmpty { air.noteCredit(of: id) }
    if let index = completed.firstIndex(where: { $0.connectionHandle.rawValue == handle }) {
      completed[index].count += 1
    } else {
      completed.append(CompletedPackets(ConnectionHandle(rawValue: handle), count: 1))
    }
  }

  /// Gives the host the buffers back that were freed since the last time.
  func reportCompletedPackets() {
    guard !completed.isEmpty else { return }
    let entries = completed
    completed.removeAll(keepingCapacity: true)
    send(HCINumberOfCompletedPackets { $0.completed = entries })
  }

  // MARK: To the host

  /// A data PDU came over the link: one ACL packet for it, or several where it is longer than the host expects.
  func deliver(_ fragment: DataFragment, handle: UInt16) {
    let limit = max(1, Int(configuration.aclDataLength))
    var rest = fragment.octets
    var isStart = fragment.isStart
    while !rest.isEmpty {
      let piece = rest.prefix(limit)
      rest = rest.dropFirst(limit)
      hostBuffers.waiting.append(HostBuffers.Packet(handle: handle, isStart: isStart, octets: piece))
      isStart = false
    }
    sendWaitingData()
  }

  /// Whether data that comes over a link can be kept until the host takes it.
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
