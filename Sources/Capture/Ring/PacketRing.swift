import BLECore
import BLEHCI
import Glibc

/// The last octets between a host and its controller, as they came, in bounded memory: for a capture that is wanted only when something
/// has gone wrong.
///
/// Nothing is looked at before somebody wants it; a run of octets costs one copy.
package struct PacketRing: ~Copyable {
  /// Length, direction and time stand before each run.
  private static let headLength = 13
  /// What is taken at the beginning; the memory grows as octets come.
  private static let firstCapacity = 65_536

  /// How many octets are kept at most, with their heads; less than was asked for once the system has no more memory.
  package private(set) var limit: Int
  /// How many octets are kept, with their heads.
  package private(set) var count = 0

  /// Not an array, because an array cannot grow without touching all of its memory, new and old. `realloc` moves pages, and the kernel
  /// gives new ones when they are first written.
  private var memory = UnsafeMutableRawBufferPointer(start: nil, count: 0)
  /// Where the oldest run begins.
  private var start = 0

  /// A ring that keeps so many octets.
  package init(limit: Int) { self.limit = max(limit, 0) }

  deinit { free(memory.baseAddress) }

  /// Takes in octets that went that way, and forgets the oldest runs where it has no room.
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

  /// Doubles the memory, or as much as the run needs. Nothing has been forgotten yet, so the oldest run is at the beginning. Without
  /// more memory the ring stays as it is: the accessory is worth more.
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

  /// The length of the oldest run, octet by octet, because its head may go over the end of the memory.
  private var oldestLength: UInt32 {
    var length: UInt32 = 0
    for offset in 0..<4 {
      let place = start + offset
      length |= UInt32(memory[place < memory.count ? place : place - memory.count]) << UInt32(8 * offset)
    }
    return length
  }

  /// Writes octets behind what is kept; they may go over the end of the memory.
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

  /// The packets in the octets that are kept, as a pcapng file. What is cut off at the beginning is left out.
  ///
  /// - Parameters:
  ///   - offset: What is added to the times, to make them nanoseconds since 1970-01-01 00:00 UTC.
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
