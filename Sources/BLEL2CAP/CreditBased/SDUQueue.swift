import BLECore

/// SDUs that wait to be sent, kept as what their K-frames carry: each behind its length (Core 5.4 Vol 3 Part A 3.4.3), so that
/// a K-frame's payload is the next octets of the queue, but never of two SDUs.
struct SDUQueue: Sendable {
  /// How many octets of SDUs wait.
  private(set) var octetCount = 0

  private var octets: [UInt8] = []
  private var head = 0
  /// How many octets are left of an SDU that has been sent in part.
  private var rest = 0

  /// How many octets the queue holds, lengths of SDUs counted, so that SDUs of no octets fill it too.
  var footprint: Int { octets.count - head }

  /// Whether nothing waits; an SDU of no octets is not nothing.
  var isEmpty: Bool { head == octets.count }

  /// Adds an SDU, of at most 65,535 octets.
  mutating func append(_ sdu: Span<UInt8>) {
    compact()
    let length = UInt16(clamping: sdu.count)
    octets.append(UInt8(truncatingIfNeeded: length))
    octets.append(UInt8(truncatingIfNeeded: length >> 8))
    sdu.withUnsafeBufferPointer { octets.append(contentsOf: $0.prefix(Int(length))) }
    octetCount += Int(length)
  }

  /// Moves the next K-frame, with a payload of at most `mps` octets, to the end of `buffer`; `octets` of it are of an SDU.
  mutating func take(
    to remote: ChannelID, mps: Int, into buffer: inout OctetBuffer
  ) -> (octets: Int, endsSDU: Bool) {
    let isFirst = rest == 0
    if isFirst { rest = KFrame.sduLengthOctetCount + Int(octets[head]) + Int(octets[head + 1]) << 8 }
    let length = min(rest, mps)
    buffer.appendBasicHeader(length: length, on: remote)
    buffer.append(octets.span.extracting(head..<(head + length)))
    head += length
    rest -= length
    let content = isFirst ? length - KFrame.sduLengthOctetCount : length
    octetCount -= content
    if head == octets.count { removeAll() }
    return (content, rest == 0)
  }

  /// Drops everything; the room stays.
  mutating func removeAll() {
    octets.removeAll(keepingCapacity: true)
    (head, rest, octetCount) = (0, 0, 0)
  }

  /// Gives the room of sent octets back when it is most of the queue, so that a queue that never runs empty does not grow for
  /// ever.
  private mutating func compact() {
    guard head > 4096, head > octets.count / 2 else { return }
    octets.removeFirst(head)
    head = 0
  }
}
