import BLECore
import BLEHCI
import Capture
import Testing

@testable import Decoding

@Suite("Levels of packets") struct PacketLevelTests {
  private func level(_ record: CaptureRecord) -> PacketLevel {
    var decoder = PacketDecoder()
    return decoder.receive(record).level(in: record)
  }

  private func event(_ octets: [UInt8]) -> PacketLevel {
    level(CaptureRecord(.hci(.controllerToHost), octets: [4] + octets))
  }

  private func att(_ pdu: [UInt8]) -> PacketLevel {
    let octets: [UInt8] = [2, 0x44, 0x20, UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, 4, 0]
    return level(CaptureRecord(.hci(.controllerToHost), octets: octets + pdu))
  }

  @Test("Repetitive packets are debug, refusals warnings, broken packets errors")
  func packets() {
    // Number Of Completed Packets, a Command Complete, a refused one, and a refused check.
    #expect(event([0x13, 5, 1, 0x44, 0, 1, 0]) == .debug)
    #expect(event([0x0E, 4, 1, 0x03, 0x0C, 0]) == .info)
    #expect(event([0x0E, 4, 1, 0x03, 0x0C, 0x12]) == .warning)
    #expect(event([0x0E, 4, 1, 0x06, 0x20, 0x0C]) == .debug)
    #expect(event([0x10, 1, 0]) == .error)
    // Disconnections: by the peer's user, and because of the supervision timeout.
    #expect(event([0x05, 4, 0, 0x44, 0, 0x13]) == .info)
    #expect(event([0x05, 4, 0, 0x44, 0, 0x08]) == .warning)
    #expect(event([0x0E, 1]) == .error)
    #expect(att([0x1B, 3, 0, 1]) == .info)
    // Responses without a request are faults.
    #expect(att([0x01, 0x0A, 3, 0, 0x02]) == .error)
  }

  @Test("An error response is a warning, except the one that ends a discovery")
  func responses() {
    var decoder = PacketDecoder()
    func take(_ direction: CapturedPacket.Direction, _ pdu: [UInt8]) -> PacketLevel {
      let flags: UInt8 = direction == .hostToController ? 0x00 : 0x20
      let octets: [UInt8] = [2, 0x44, flags, UInt8(pdu.count + 4), 0, UInt8(pdu.count), 0, 4, 0]
      let record = CaptureRecord(.hci(direction), octets: octets + pdu)
      return decoder.receive(record).level(in: record)
    }
    #expect(take(.hostToController, [0x0A, 3, 0]) == .info)
    #expect(take(.controllerToHost, [0x01, 0x0A, 3, 0, 0x02]) == .warning)
    #expect(take(.hostToController, [0x10, 1, 0, 0xFF, 0xFF, 0, 0x28]) == .info)
    #expect(take(.controllerToHost, [0x01, 0x10, 1, 0, 0x0A]) == .info)
  }

  @Test(
    "A message of a program has the priority with which it was logged",
    arguments: [(3, .error), (4, .warning), (6, .info), (7, .debug)] as [(UInt8, PacketLevel)])
  func logs(priority: UInt8, level: PacketLevel) {
    var record = CaptureRecord(.message(.log), octets: Array("bluetoothd: hello".utf8))
    record.priority = priority
    #expect(self.level(record) == level)
    record.priority = nil
    #expect(self.level(record) == .info)
    #expect(self.level(CaptureRecord(.message(.error), octets: [])) == .error)
  }

  @Test("Filters compare levels, and errors list them")
  func filters() throws {
    var decoder = PacketDecoder()
    let record = CaptureRecord(.hci(.controllerToHost), octets: [4, 0x0E, 4, 1, 0x03, 0x0C, 0x12])
    let summary = decoder.receive(record)
    for text in ["level >= warning", "level == warning", "level < error", "!(level > warning)", "level != info"] {
      #expect(try PacketFilter(text).accepts(summary, record, decoder), "\(text)")
    }
    #expect(try !PacketFilter("level == error").accepts(summary, record, decoder))
    for text in ["level", "level ~ warning", "level == loud", "level == 3"] {
      #expect(throws: FilterFault.self, "\(text)") { try PacketFilter(text) }
    }
  }
}
