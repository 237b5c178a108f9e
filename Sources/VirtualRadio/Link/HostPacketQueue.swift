/// A fragment of an HCI ACL data packet that fits in one data PDU.
struct DataFragment {
  /// Whether it starts an L2CAP PDU (LLID 0b10) or continues one (LLID 0b01).
  var isStart: Bool
  var octets: ArraySlice<UInt8>
  /// Whether this is the end of the host's packet, whose buffer is freed by the acknowledgement.
  var endsHostPacket: Bool
}

/// ACL data packets of a host that wait for transmission. They are fragmented only when they are sent, because the data PDU length can
/// change until then.
struct HostPacketQueue {
  private struct HostPacket {
    var isStart: Bool
    var octets: [UInt8]
  }

  private var packets: [HostPacket] = []
  private var head = 0
  /// The number of octets taken from the first packet.
  private var offset = 0

  var isEmpty: Bool { head == packets.count }

  /// The number of octets left of the first packet; zero if there is none.
  var nextLength: Int { head < packets.count ? packets[head].octets.count - offset : 0 }

  mutating func append(isStart: Bool, _ octets: [UInt8]) {
    packets.append(HostPacket(isStart: isStart, octets: octets))
  }

  /// Removes and returns the next fragment of at most `limit` octets.
  mutating func takeFragment(limit: Int) -> DataFragment? {
    guard head < packets.count else { return nil }
    let packet = packets[head]
    let end = min(packet.octets.count, offset + max(limit, 1))
    let fragment = DataFragment(
      isStart: packet.isStart && offset == 0, octets: packet.octets[offset..<end],
      endsHostPacket: end == packet.octets.count)
    offset = end
    if fragment.endsHostPacket { dropFirst() }
    return fragment
  }

  private mutating func dropFirst() {
    offset = 0
    head += 1
    // Moving the rest forward only now and then keeps the cost of a removal constant.
    if head == packets.count || head >= 64 {
      packets.removeFirst(head)
      head = 0
    }
  }
}
