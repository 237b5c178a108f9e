import Testing

@testable import BLEHCI

@Suite("Memory of the deframer")
struct H4MemoryTests {
  @Test("Noise in which each packet ends with the beginning of another is not collected forever")
  func endlessTail() {
    var deframer = H4Deframer(side: .host)
    var packets = 0
    deframer.push([0xFF, 0x04, 0x3E, 0xFF].span) { _, _ in packets += 1 }
    // 255 octets of content; the last two look like an event, and the octet after them begins no packet.
    let chunk = [UInt8](repeating: 0, count: 253) + [0x04, 0x3E, 0xFF]
    var most = 0
    for _ in 0..<1000 {
      deframer.push(chunk.span) { _, _ in packets += 1 }
      most = max(most, deframer.keptOctets)
    }
    #expect(packets == 0)
    #expect(deframer.skippedOctets == 1 + 1000 * 256)
    #expect(deframer.pendingOctets == 3)
    #expect(most < 2 * 4096)
  }
}
