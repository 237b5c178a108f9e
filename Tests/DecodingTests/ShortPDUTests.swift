import BLECore
import Capture
import Testing

@testable import Decoding

@Suite("Packets that are too short, and times that are too far apart")
struct ShortPDUTests {
  @Test("a PDU with any opcode, truncated at any octet, is decoded", arguments: [UInt16(1), 2, 4, 5, 6, 7])
  func cut(channel: UInt16) {
    for code in UInt8.min ... .max {
      for count in 0...24 {
        let pdu =
          Array([code, 1, 20, 0, 0xFF, 0xFF, 0, 0x28].prefix(count)) + [UInt8](repeating: 7, count: max(0, count - 8))
        for direction in [CapturedPacket.Direction.hostToController, .controllerToHost] {
          var decoder = PacketDecoder()
          for _ in 0..<2 {
            let record = DecodingTests.acl(direction, channel, pdu)
            let summary = decoder.receive(record)
            _ = decoder.text(of: summary, in: record)
            _ = decoder.tree(of: summary, in: record)
          }
        }
      }
    }
  }

  @Test("a Read By Type or Read By Group Type Request of three octets is decoded", arguments: [UInt8(0x08), 0x10])
  func readByType(opcode: UInt8) {
    var decoder = PacketDecoder()
    let summary = decoder.receive(DecodingTests.acl(.controllerToHost, 4, [opcode, 1, 0]))
    #expect(summary.layer == .att && summary.attribute == 1)
  }

  @Test("times at both ends of the range have a difference")
  func times() {
    #expect(Int64.max.elapsed(since: .min) == .max && Int64.min.elapsed(since: .max) == .min)
    #expect(Int64(5).elapsed(since: 7) == -2)
    #expect(Int64.max.advanced(bySaturating: 1) == .max && Int64.min.advanced(bySaturating: -1) == .min)
    #expect(Int64.max.nanoseconds(inUnitsOf: 1000) == .max && Int64.min.nanoseconds(inUnitsOf: 1000) == .min)
    var decoder = PacketDecoder()
    var statistics = CaptureStatistics()
    var request = DecodingTests.acl(.controllerToHost, 4, [0x0A, 3, 0])
    request.nanoseconds = .min
    var response = DecodingTests.acl(.hostToController, 4, [0x0B, 1])
    response.nanoseconds = .max
    statistics.count(decoder.receive(request), request)
    let answer = decoder.receive(response)
    statistics.count(answer, response)
    #expect(answer.latency == .max && statistics.duration == .max)
    #expect(statistics.connections[0].latency.percentile(50) == .max)
    #expect(statistics.connections[0].throughput(statistics.connections[0].sent) > 0)
  }
}
