import BLECore

/// SDUs that wait to be sent, stored as in their K-frames: each preceded by its length (Core 5.4 Vol 3 Part A 3.4.3). The payload of a
/// K-frame is the next octets of the queue, but never from two SDUs.
struct SDUQueue: Sendable {
  /// The number of SDU octets that wait.
  private(set) var octetCount = 0

  private var octets: [UInt8] = []
  private var head = 0
  /// The number of remaining octets of a partially sent SDU.
  private var rest = 0

  /// The number of octets in the queue, including SDU lengths, so that empty SDUs fill it as well.
  var footprint: Int { octets.count - head }

  /// Whether the queue is empty. An SDU without octets is still an entry.
  var isEmpty: Bool { head == octets.count }

  /// Appends an SDU of at most 65,535 octets.
  mutating func append(_ sdu: Span<UInt8>) {
    compact()
    let length = UInt16(clamping: sdu.count)
    octets.append(UInt8(truncatingIfNeeded: length))
    octets.append(UInt8(truncatingIfNeeded: length >> 8))
    sdu.withUnsafeBufferPointer { octets.append(contentsOf: $0.prefix(Int(length))) }
    octetCount += Int(length)
  }

  /// Moves the next K-frame, with a payload of at most `mps` octets, to the end of `buffer`. `octets` is the number of its SDU octets.
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

  /// Moves the next SDU as a B-frame to the end of `buffer`, and returns the number of its octets.
  mutating func takeWhole(to remote: ChannelID, into buffer: inout OctetBuffer) -> Int {
    let length = Int(octets[head]) + Int(octets[head + 1]) << 8
    let start = head + KFrame.sduLengthOctetCount
    buffer.appendBasicHeader(length: length, on: remote)
    buffer.append(octets.span.extracting(start..<(start + length)))
    head = start + length
    octetCount -= length
    if head == octets.count { removeAll() }
    return length
  }

  /// Removes and returns the next segment of an SDU as an I-frame of Enhanced Retransmission Mode has it. The length of the SDU counts as part
  /// of the first of several, because some peers count it, too.
  mutating func takeSegment(mps: Int) -> (octets: [UInt8], sduLength: Int, isFirst: Bool, isLast: Bool) {
    let isFirst = rest == 0
    if isFirst {
      rest = Int(octets[head]) + Int(octets[head + 1]) << 8
      head += KFrame.sduLengthOctetCount
    }
    let sduLength = rest
    let isStart = isFirst && rest > mps
    let length = min(rest, isStart ? max(mps - KFrame.sduLengthOctetCount, 1) : mps)
    let segment = Array(octets[head..<(head + length)])
    head += length
    rest -= length
    octetCount -= length
    let isLast = rest == 0
    if head == octets.count { removeAll() }
    return (segment, sduLength, isFirst, isLast)
  }

  /// Removes everything, but keeps the capacity.
  mutating func removeAll() {
    octets.removeAll(keepingCapacity: true)
    (head, rest, octetCount) = (0, 0, 0)
  }

  /// Frees the space of sent octets when it is most of the queue. Otherwise a queue that never becomes empty would grow forever.
  private mutating func compact() {
    guard head > 4096, head > octets.count / 2 else { return }
    octets.removeFirst(head)
    head = 0
  }
}
