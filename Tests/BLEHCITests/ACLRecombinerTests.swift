import BLECore
import BLEHCI
import Testing

@Suite struct ACLRecombinerTests {
  private static func pdu(_ length: Int) -> [UInt8] {
    [UInt8(truncatingIfNeeded: length), UInt8(length >> 8), 0x04, 0x00]
      + (0..<length).map { UInt8(truncatingIfNeeded: $0) }
  }

  @Test("Headers round trip")
  func headers() throws {
    let header = ACLHeader(
      connectionHandle: ConnectionHandle(rawValue: 0x0EFF), boundary: .firstFromController, broadcast: 0b01, length: 2)
    var buffer = OctetBuffer()
    header.encodeH4(into: &buffer)
    #expect(buffer.copy() == [0x02, 0xFF, 0x6E, 0x02, 0x00])
    buffer.append([7, 8])
    let packet = buffer.copy(from: 1)
    #expect(try ACLHeader(packet.span) == header)
    for length in 0..<packet.count {
      #expect(throws: LayoutFault.self) { try ACLHeader(packet.span.extracting(0..<length)) }
    }
    let longer = packet + [9]
    #expect(throws: LayoutFault.trailing(offset: 6, extra: 1)) { try ACLHeader(longer.span) }
  }

  @Test("A PDU in one packet is passed on unchanged")
  func whole() {
    var recombiner = ACLRecombiner()
    for boundary in [PacketBoundary.firstFromController, .firstFromHost] {
      #expect(recombiner.accept(boundary, Self.pdu(23).span) == .init(pdu: .whole, fault: nil))
      #expect(recombiner.accept(boundary, Self.pdu(0).span) == .init(pdu: .whole, fault: nil))
    }
    #expect(recombiner.pendingOctets == 0)
  }

  @Test("A PDU split anywhere is reassembled", arguments: [1, 2, 3, 4, 5, 27, 251])
  func assembled(_ size: Int) {
    var recombiner = ACLRecombiner()
    let pdu = Self.pdu(512)
    for _ in 0..<2 {
      for start in stride(from: 0, to: pdu.count, by: size) {
        let end = min(start + size, pdu.count)
        let outcome = recombiner.accept(
          start == 0 ? .firstFromController : .continuing, pdu.span.extracting(start..<end))
        #expect(outcome == .init(pdu: end == pdu.count ? .assembled(pdu) : .none, fault: nil))
      }
    }
    #expect(recombiner.pendingOctets == 0)
  }

  @Test("A new start ends an incomplete PDU, and is counted")
  func abandoned() {
    var recombiner = ACLRecombiner()
    let pdu = Self.pdu(100)
    _ = recombiner.accept(.firstFromController, pdu.span.extracting(0..<27))
    #expect(
      recombiner.accept(.firstFromController, Self.pdu(5).span)
        == .init(pdu: .whole, fault: .abandoned(missing: 77)))
    _ = recombiner.accept(.firstFromController, pdu.span.extracting(0..<3))
    #expect(
      recombiner.accept(.firstFromController, pdu.span.extracting(0..<50))
        == .init(pdu: .none, fault: .abandoned(missing: 0)))
    #expect(
      recombiner.accept(.continuing, pdu.span.extracting(50..<104)) == .init(pdu: .assembled(pdu), fault: nil))
  }

  @Test("A continuation without a start is dropped")
  func unexpected() {
    var recombiner = ACLRecombiner()
    #expect(
      recombiner.accept(.continuing, Self.pdu(5).span) == .init(pdu: .none, fault: .unexpectedContinuation))
    #expect(recombiner.accept(.whole, Self.pdu(5).span) == .init(pdu: .none, fault: .unknownBoundary))
    #expect(recombiner.accept(.firstFromController, Self.pdu(5).span).pdu == .whole)
  }

  @Test("More data than the PDU's length drops it, with one fault")
  func tooLong() {
    var recombiner = ACLRecombiner()
    let pdu = Self.pdu(40)
    let extra = Self.pdu(40) + [1, 2]
    #expect(recombiner.accept(.firstFromController, extra.span) == .init(pdu: .none, fault: .tooLong(excess: 2)))
    _ = recombiner.accept(.firstFromController, pdu.span.extracting(0..<27))
    #expect(
      recombiner.accept(.continuing, extra.span.extracting(27..<46)) == .init(pdu: .none, fault: .tooLong(excess: 2)))
    #expect(recombiner.accept(.continuing, pdu.span) == .init(pdu: .none, fault: nil))
    #expect(recombiner.accept(.firstFromController, pdu.span).pdu == .whole)
  }

  @Test("A PDU over the limit is dropped at its first fragment")
  func overLimit() {
    var recombiner = ACLRecombiner(limit: 104)
    #expect(recombiner.accept(.firstFromController, Self.pdu(100).span).pdu == .whole)
    let large = Self.pdu(101)
    #expect(
      recombiner.accept(.firstFromController, large.span) == .init(pdu: .none, fault: .overLimit(length: 105)))
    #expect(
      recombiner.accept(.firstFromController, large.span.extracting(0..<27))
        == .init(pdu: .none, fault: .overLimit(length: 105)))
    #expect(recombiner.accept(.continuing, large.span.extracting(27..<50)) == .init(pdu: .none, fault: nil))
    #expect(recombiner.pendingOctets == 0)
  }

  @Test("The longest possible PDU is reassembled")
  func longest() {
    var recombiner = ACLRecombiner()
    let pdu = Self.pdu(65535)
    var last = ACLRecombiner.PDU.none
    for start in stride(from: 0, to: pdu.count, by: 251) {
      let part = pdu.span.extracting(start..<min(start + 251, pdu.count))
      last = recombiner.accept(start == 0 ? .firstFromController : .continuing, part).pdu
    }
    #expect(last == .assembled(pdu))
  }

  @Test("A reset drops incomplete PDUs")
  func reset() {
    var recombiner = ACLRecombiner()
    _ = recombiner.accept(.firstFromController, Self.pdu(100).span.extracting(0..<27))
    recombiner.reset()
    #expect(recombiner.pendingOctets == 0)
    #expect(recombiner.accept(.continuing, Self.pdu(5).span).fault == .unexpectedContinuation)
  }

  @Test("Any packets are accepted", arguments: 0..<20)
  func randomPackets(_ seed: UInt64) {
    var random = SeededRandom(seed)
    var recombiner = ACLRecombiner(limit: 300)
    for _ in 0..<2000 {
      let data = random.octets(Int.random(in: 0...60, using: &random)).map { $0 & 0x3F }
      let outcome = recombiner.accept(PacketBoundary(rawValue: UInt8.random(in: 0...3, using: &random)), data.span)
      switch outcome.pdu {
      case .none: break
      case .whole: #expect(data.count == 4 + Int(data[0]) + Int(data[1]) << 8)
      case .assembled(let pdu): #expect(pdu.count == 4 + Int(pdu[0]) + Int(pdu[1]) << 8)
      }
      #expect(recombiner.pendingOctets <= 360)
    }
  }
}
