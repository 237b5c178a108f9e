import BLECore
import BLEHCI
import Testing

@Suite struct ACLSchedulerTests {
  static let first = ConnectionHandle.zero
  static let second = ConnectionHandle(rawValue: 0x0001)
  static let third = ConnectionHandle(rawValue: 0x0EFF)

  /// Returns an L2CAP frame whose payload identifies the PDU.
  static func pdu(_ length: Int, _ tag: UInt8 = 0) -> [UInt8] {
    [UInt8(truncatingIfNeeded: length), UInt8(length >> 8), 0x04, 0x00] + Array(repeating: tag, count: length)
  }

  static func packet(_ handle: ConnectionHandle, _ boundary: PacketBoundary, _ data: [UInt8]) -> [UInt8] {
    var buffer = OctetBuffer()
    ACLHeader(connectionHandle: handle, boundary: boundary, length: data.count).encodeH4(into: &buffer)
    buffer.append(data)
    return buffer.copy()
  }

  private static func scheduler(
    length: Int = 27, count: Int, _ handles: ConnectionHandle...
  ) -> ACLScheduler {
    var scheduler = ACLScheduler()
    scheduler.configure(packetLength: length, packetCount: count)
    for handle in handles { scheduler.connect(handle) }
    return scheduler
  }

  /// Returns the connections of the packets in a run of H4 ACL packets, in order.
  private static func handles(_ octets: [UInt8]) -> [ConnectionHandle] {
    var deframer = H4Deframer(side: .controller)
    var handles: [ConnectionHandle] = []
    deframer.push(octets.span) { _, packet in
      if let header = try? ACLHeader(packet) { handles.append(header.connectionHandle) }
    }
    return handles
  }

  @Test("A PDU with a free buffer stays where it was written")
  func direct() {
    var scheduler = Self.scheduler(count: 2, Self.first)
    var out = OctetBuffer()
    out.append(0x55)
    let mark = scheduler.beginPDU(Self.first, into: &out)
    out.append(Self.pdu(5))
    #expect(scheduler.endPDU(mark, in: &out) == .sent)
    #expect(out.copy() == [0x55] + Self.packet(Self.first, .firstFromHost, Self.pdu(5)))
    #expect(scheduler.freePackets == 1)
    #expect(scheduler.outstandingPackets(Self.first) == 1)
    #expect(!scheduler.isIdle(Self.first))
    #expect(scheduler.completedPackets(Self.first) == 0)
    #expect(scheduler.completed(Self.first, 1) == nil)
    #expect(scheduler.isIdle(Self.first))
    // An impossible count is ignored.
    #expect(scheduler.completed(Self.first, 1) == .tooMany(Self.first, excess: 1))
    #expect(scheduler.completedPackets(Self.first) == 1)
    #expect(scheduler.completedPackets(Self.second) == 0)
  }

  @Test("A long PDU is split, and its rest waits for buffers")
  func fragments() {
    var scheduler = Self.scheduler(length: 10, count: 2, Self.third)
    var out = OctetBuffer()
    let pdu = Self.pdu(21, 7)
    #expect(scheduler.send(pdu.span, on: Self.third, into: &out) == .queued)
    #expect(
      out.copy()
        == Self.packet(Self.third, .firstFromHost, Array(pdu[0..<10]))
        + Self.packet(Self.third, .continuing, Array(pdu[10..<20])))
    #expect(scheduler.queuedPDUs(Self.third) == 1)
    out.removeAll()
    scheduler.drain(into: &out)
    #expect(out.count == 0)
    #expect(scheduler.completed(Self.third, 1) == nil)
    scheduler.drain(into: &out)
    #expect(out.copy() == Self.packet(Self.third, .continuing, Array(pdu[20...])))
    #expect(scheduler.queuedPDUs(Self.third) == 0)
    #expect(!scheduler.isIdle(Self.third))
  }

  @Test("A PDU never overtakes another of its connection")
  func order() {
    var scheduler = Self.scheduler(count: 1, Self.first)
    var out = OctetBuffer()
    for tag in 0..<3 as Range<UInt8> { scheduler.send(Self.pdu(3, tag).span, on: Self.first, into: &out) }
    #expect(scheduler.queuedPDUs(Self.first) == 2)
    #expect(scheduler.completed(Self.first, 1) == nil)
    #expect(!scheduler.isReady(Self.first))
    #expect(scheduler.send(Self.pdu(3, 3).span, on: Self.first, into: &out) == .queued)
    for _ in 0..<3 {
      _ = scheduler.completed(Self.first, 1)
      scheduler.drain(into: &out)
    }
    let expected = (0..<4 as Range<UInt8>).flatMap { Self.packet(Self.first, .firstFromHost, Self.pdu(3, $0)) }
    #expect(out.copy() == expected)
  }

  @Test("Waiting connections take turns")
  func roundRobin() {
    var scheduler = Self.scheduler(count: 3, Self.first, Self.second, Self.third)
    var out = OctetBuffer()
    let all = [Self.first, Self.second, Self.third]
    for handle in all { for _ in 0..<5 { scheduler.send(Self.pdu(3).span, on: handle, into: &out) } }
    #expect(Self.handles(out.copy()) == all)
    for _ in 0..<4 {
      out.removeAll()
      for handle in all { #expect(scheduler.completed(handle, 1) == nil) }
      scheduler.drain(into: &out)
      #expect(Set(Self.handles(out.copy())) == Set(all))
    }
    #expect(all.allSatisfy { scheduler.queuedPDUs($0) == 0 })
  }

  @Test("A peer that accepts nothing leaves buffers for the others")
  func stuckPeer() {
    var scheduler = Self.scheduler(count: 4, Self.first, Self.second)
    var out = OctetBuffer()
    for _ in 0..<10 { scheduler.send(Self.pdu(3).span, on: Self.first, into: &out) }
    #expect(scheduler.outstandingPackets(Self.first) == 3)
    #expect(!scheduler.isReady(Self.first))
    for _ in 0..<10 {
      #expect(scheduler.isReady(Self.second))
      #expect(scheduler.send(Self.pdu(3).span, on: Self.second, into: &out) == .sent)
      #expect(scheduler.freePackets == 0)
      #expect(scheduler.completed(Self.second, 1) == nil)
      scheduler.drain(into: &out)
    }
    #expect(scheduler.queuedPDUs(Self.first) == 7)
  }

  @Test("A disconnection frees its buffers and drops its queue at once")
  func disconnection() {
    var scheduler = Self.scheduler(count: 3, Self.first, Self.second)
    var out = OctetBuffer()
    for _ in 0..<4 { scheduler.send(Self.pdu(3).span, on: Self.first, into: &out) }
    for _ in 0..<4 { scheduler.send(Self.pdu(3).span, on: Self.second, into: &out) }
    #expect(scheduler.freePackets == 0)
    #expect(scheduler.outstandingPackets == 3)
    #expect(scheduler.disconnect(Self.first) == 2)
    #expect(scheduler.freePackets == 2)
    out.removeAll()
    scheduler.drain(into: &out)
    #expect(Self.handles(out.copy()) == [Self.second, Self.second])
    #expect(scheduler.isIdle(Self.first))
    #expect(scheduler.completed(Self.first, 1) == .unknownConnection(Self.first, count: 1))
    #expect(scheduler.send(Self.pdu(3).span, on: Self.first, into: &out) == .dropped)
    #expect(scheduler.disconnect(Self.first) == 0)
  }

  @Test("A reused handle starts over")
  func reconnection() {
    var scheduler = Self.scheduler(count: 1, Self.first)
    var out = OctetBuffer()
    for _ in 0..<3 { scheduler.send(Self.pdu(3).span, on: Self.first, into: &out) }
    scheduler.connect(Self.first)
    #expect(scheduler.isIdle(Self.first))
    #expect(scheduler.freePackets == 1)
  }

  @Test("Impossible counts of completed packets are ignored")
  func bogusCompletions() {
    var scheduler = Self.scheduler(count: 2, Self.first, Self.second)
    var out = OctetBuffer()
    scheduler.send(Self.pdu(3).span, on: Self.first, into: &out)
    #expect(scheduler.completed(Self.second, 1) == .tooMany(Self.second, excess: 1))
    #expect(scheduler.completed(Self.third, 1) == .unknownConnection(Self.third, count: 1))
    #expect(scheduler.freePackets == 1)
    #expect(scheduler.completed(Self.first, 5) == .tooMany(Self.first, excess: 4))
    #expect(scheduler.freePackets == 2)
  }

  @Test("Nothing is sent before the controller's buffers are known, and no empty PDUs")
  func unconfigured() {
    var scheduler = ACLScheduler()
    var out = OctetBuffer()
    scheduler.connect(Self.first)
    #expect(scheduler.send(Self.pdu(3).span, on: Self.first, into: &out) == .queued)
    #expect(out.count == 0)
    #expect(scheduler.send([UInt8]().span, on: Self.first, into: &out) == .dropped)
    scheduler.configure(packetLength: 0, packetCount: -1)
    #expect(scheduler.packetLength == 1)
    #expect(scheduler.freePackets == 0)
    #expect(scheduler.queuedPDUs(Self.first) == 0)
  }

  @Test("A queue that never runs empty keeps its order")
  func longLivedQueue() {
    var scheduler = Self.scheduler(count: 1, Self.first)
    var out = OctetBuffer()
    var recombiner = ACLRecombiner()
    var seen: [UInt8] = []
    for turn in 0..<600 {
      scheduler.send(Self.pdu(60, UInt8(truncatingIfNeeded: turn)).span, on: Self.first, into: &out)
      for _ in 0..<(turn < 20 ? 1 : 3) {
        _ = scheduler.completed(Self.first, 1)
        scheduler.drain(into: &out)
      }
    }
    while !scheduler.isIdle(Self.first) {
      _ = scheduler.completed(Self.first, 1)
      scheduler.drain(into: &out)
    }
    var deframer = H4Deframer(side: .controller)
    deframer.push(out.copy().span) { _, packet in
      guard let header = try? ACLHeader(packet) else { return }
      let outcome = recombiner.accept(header.boundary, packet.extracting(4..<packet.count))
      #expect(outcome.fault == nil)
      if case .assembled(let pdu) = outcome.pdu { seen.append(pdu[4]) }
    }
    #expect(seen == (0..<600).map { UInt8(truncatingIfNeeded: $0) })
  }
}
