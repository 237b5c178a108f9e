import BLECore

/// One connection's share of the controller's buffers, and its packets that wait for one.
struct ACLLinkQueue: Sendable {
  let handle: ConnectionHandle
  /// Packets that the controller has and has not reported completed.
  var outstanding = 0
  /// Packets that the controller has reported completed, in all.
  var completed = 0
  /// Whether nothing is taken any longer.
  var isClosed = false
  /// How many packets wait.
  private(set) var packets = 0
  /// How many PDUs wait, wholly or for their last packets.
  private(set) var pdus = 0

  /// H4 packets one after another from `head` on, ready to be sent, but for the type octet of the last packet of a PDU,
  /// which is `lastMark` to tell where the PDU ends.
  private var octets: [UInt8] = []
  private var head = 0

  private static let lastMark: UInt8 = 0xFF

  init(handle: ConnectionHandle) { self.handle = handle }

  /// Drops what waits, and takes nothing more.
  mutating func close() {
    isClosed = true
    (packets, pdus) = (0, 0)
    octets = []
    head = 0
  }

  /// Queues a PDU in packets of at most `packetLength` octets of data.
  mutating func enqueue(_ pdu: [UInt8], packetLength: Int) {
    compact()
    octets.reserveCapacity(octets.count + pdu.count + (pdu.count / packetLength + 1) * 5)
    var start = 0
    while start < pdu.count {
      let end = min(start + packetLength, pdu.count)
      let header = ACLHeader(
        connectionHandle: handle, boundary: start == 0 ? .firstFromHost : .continuing, length: end - start)
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

  /// Gives the room of sent packets back when it is most of the queue, so that a queue that never runs empty does not
  /// grow for ever.
  private mutating func compact() {
    guard head > 4096, head > octets.count / 2 else { return }
    octets.removeFirst(head)
    head = 0
  }
}
