import BLECore

/// The packets of one connection that are in the controller or wait for a buffer.
struct ACLLinkQueue: Sendable {
  let handle: ConnectionHandle
  /// Whether it is a connection of BR/EDR, whose packets may be flushed if a flush timeout is set; there is none by default (Core 5.4 Vol 4
  /// Part E 5.4.2). Every controller supports that, but not packets that may not be flushed.
  var isClassic = false
  /// Whether it uses the controller's buffers for BR/EDR alone.
  var hasClassicBuffers = false
  /// The number of packets in the controller that it has not reported completed.
  var outstanding = 0
  /// The total number of packets that the controller has reported completed.
  var completed = 0
  /// Whether the queue accepts no more packets.
  var isClosed = false
  /// The number of waiting packets.
  private(set) var packets = 0
  /// The number of PDUs that wait, completely or in part.
  private(set) var pdus = 0

  /// Consecutive H4 packets from `head` on, ready to be sent. The only exception is the type octet of the last packet of a PDU: it is
  /// `lastMark`, which marks the end of the PDU.
  private var octets: [UInt8] = []
  private var head = 0

  private static let lastMark: UInt8 = 0xFF

  init(handle: ConnectionHandle) { self.handle = handle }

  /// Drops all waiting packets and accepts no more.
  mutating func close() {
    isClosed = true
    (packets, pdus) = (0, 0)
    octets = []
    head = 0
  }

  /// Queues a PDU in packets of at most `packetLength` octets of data.
  mutating func enqueue(_ pdu: [UInt8], packetLength: Int) {
    compact()
    let first: PacketBoundary = isClassic ? .firstFromController : .firstFromHost
    octets.reserveCapacity(octets.count + pdu.count + (pdu.count / packetLength + 1) * 5)
    var start = 0
    while start < pdu.count {
      let end = min(start + packetLength, pdu.count)
      let header = ACLHeader(
        connectionHandle: handle, boundary: start == 0 ? first : .continuing, length: end - start)
      octets.append(end == pdu.count ? Self.lastMark : H4PacketType.acl.rawValue)
      for word in [header.word, UInt16(end - start)] {
        octets.append(UInt8(truncatingIfNeeded: word))
        octets.append(UInt8(truncatingIfNeeded: word >> 8))
      }
      octets.append(contentsOf: pdu[start..<end])
      packets += 1
      start = end
    }
    pdus += 1
  }

  /// Moves the first waiting packet to `buffer`.
  mutating func send(into buffer: inout OctetBuffer) {
    let end = head + 5 + (Int(octets[head + 3]) | Int(octets[head + 4]) << 8)
    if octets[head] == Self.lastMark { pdus -= 1 }
    buffer.append(H4PacketType.acl.rawValue)
    buffer.append(octets[(head + 1)..<end])
    packets -= 1
    outstanding += 1
    head = end
    if head == octets.count {
      octets.removeAll(keepingCapacity: true)
      head = 0
    }
  }

  /// Frees the space of sent packets when it is most of the queue. Otherwise a queue that never becomes empty would grow forever.
  private mutating func compact() {
    guard head > 4096, head > octets.count / 2 else { return }
    octets.removeFirst(head)
    head = 0
  }
}
