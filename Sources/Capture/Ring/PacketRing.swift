import BLECore
import BLEHCI

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The most recent octets between a host and its controller, unparsed, in bounded memory: for a capture that is needed only after a
/// failure.
///
/// Nothing is parsed until it is needed; a run of octets costs one copy.
package struct PacketRing: ~Copyable {
  /// The size of length, direction and time before each run.
  private static let headLength = 13
  /// The initial capacity. The memory grows as octets arrive.
  private static let firstCapacity = 65_536

  /// The maximum number of stored octets, including headers. Lower than requested if the system has run out of memory.
  package private(set) var limit: Int
  /// The number of stored octets, including headers.
  package private(set) var count = 0

  /// It is not an array, because an array cannot grow without touching all its memory, new and old. `realloc` moves pages, and the kernel
  /// allocates new ones when they are first written.
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// The start of the oldest run.
  private var start = 0

  /// Creates a ring that stores this many octets.
  package init(limit: Int) { self.limit = max(limit, 0) }

  deinit { free(memory.baseAddress) }

  /// Stores octets sent in this direction, and drops the oldest runs if there is no room.
  ///
  /// - Parameters:
  ///   - nanoseconds: The time, of any clock.
  package mutating func record(_ direction: CapturedPacket.Direction, _ run: Span<UInt8>, nanoseconds: Int64) {
    let length = Self.headLength + run.count
    if length <= limit, count + length > memory.count, memory.count < limit { grow(for: length) }
    guard length <= limit else { return }
    while count + length > memory.count { forgetOldest() }
    var word = UInt64(UInt32(run.count)) | (direction == .controllerToHost ? 1 << 32 : 0)
    withUnsafeBytes(of: &word) { write($0, at: 0, 5) }
    var time = nanoseconds.littleEndian
    withUnsafeBytes(of: &time) { write($0, at: 5, 8) }
    run.withUnsafeBytes { write($0, at: Self.headLength, $0.count) }
    count += length
  }

  /// Doubles the memory, or grows it as much as the run needs. Nothing has been dropped yet, so the oldest run is at the start. Without
  /// more memory the ring stays as it is, because the accessory is more important.
  private mutating func grow(for length: Int) {
    var larger = max(memory.count * 2, Self.firstCapacity)
    while larger < count + length, larger < limit { larger *= 2 }
    larger = min(larger, limit)
    guard let place = realloc(memory.baseAddress, larger) else {
      limit = memory.count
      return
    }
    memory = UnsafeMutableRawBufferPointer(start: place, count: larger)
  }

  private mutating func forgetOldest() {
    let length = Self.headLength + Int(oldestLength)
    start += length
    if start >= memory.count { start -= memory.count }
    count -= length
  }

  /// The length of the oldest run, read octet by octet because its header may wrap around the end of the memory.
  private var oldestLength: UInt32 {
    var length: UInt32 = 0
    for offset in 0..<4 {
      let place = start + offset
      length |= UInt32(memory[place < memory.count ? place : place - memory.count]) << UInt32(8 * offset)
    }
    return length
  }

  /// Writes octets after the stored ones. They may wrap around the end of the memory.
  private mutating func write(_ run: UnsafeRawBufferPointer, at offset: Int, _ length: Int) {
    guard length > 0, let source = run.baseAddress else { return }
    var place = start + count + offset
    while place >= memory.count { place -= memory.count }
    let first = min(length, memory.count - place)
    memory.baseAddress?.advanced(by: place).copyMemory(from: source, byteCount: first)
    if first < length { memory.baseAddress?.copyMemory(from: source.advanced(by: first), byteCount: length - first) }
  }

  private func copy(from offset: Int, _ length: Int) -> [UInt8] {
    guard length > 0 else { return [] }
    let place = (start + offset) % memory.count
    let first = min(length, memory.count - place)
    return Array(memory[place..<place + first]) + memory[..<(length - first)]
  }

  private func head(at offset: Int) -> (length: UInt32, direction: CapturedPacket.Direction, nanoseconds: Int64) {
    let head = copy(from: offset, Self.headLength)
    let length = head[..<4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
    let time = head[5...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    return (length, head[4] == 0 ? .hostToController : .controllerToHost, Int64(bitPattern: time))
  }

  /// Returns the packets in the stored octets as a pcapng file. A packet without its start is omitted.
  ///
  /// - Parameters:
  ///   - offset: Added to the times, to get nanoseconds since 1970-01-01 00:00 UTC.
  package func pcapng(interface: String, comment: String, offset: Int64) -> (octets: [UInt8], packets: Int) {
    let encoder = PcapNGEncoder()
    var buffer = OctetBuffer()
    encoder.beginSection(application: "understudy", comment: comment, into: &buffer)
    encoder.describeInterface(interface, .hci, into: &buffer)
    var (sent, received) = (H4Deframer(side: .controller), H4Deframer(side: .host))
    var place = 0
    var packets = 0
    while place < count {
      let (length, direction, nanoseconds) = head(at: place)
      let run = copy(from: place + Self.headLength, Int(length))
      func keep(_ type: H4PacketType, _ packet: Span<UInt8>) {
        packets += 1
        encoder.record(direction, type, packet, interface: 0, nanoseconds: nanoseconds &+ offset, into: &buffer)
      }
      switch direction {
      case .hostToController: sent.push(run.span, keep)
      case .controllerToHost: received.push(run.span, keep)
      }
      place += Self.headLength + Int(length)
    }
    return (buffer.copy(), packets)
  }
}
