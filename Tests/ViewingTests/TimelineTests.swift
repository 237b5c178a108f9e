import Capture
import Decoding
import Testing

@testable import Viewing

@Suite("Connections over time")
struct TimelineTests {
  private static func timeline(_ records: [CaptureRecord]) -> ConnectionTimeline {
    var decoder = PacketDecoder()
    var timeline = ConnectionTimeline()
    for record in records { timeline.add(decoder.receive(record), record) }
    return timeline
  }

  @Test("HCI shows beginning, parameters, PHY, data length, MTU, encryption and end")
  func hci() {
    let timeline = Self.timeline(
      [Conversation.begin()] + Conversation.heartRate() + [
        Conversation.sent([0x12, 1, 8, 0, 12, 0, 24, 0, 0, 0, 200, 0], channel: 5),
        Conversation.received([0x13, 1, 2, 0, 1, 0], channel: 5),
        Conversation.event([4, 0x3E, 10, 3, 0, 0x40, 0, 12, 0, 4, 0, 0xC8, 0]),
        Conversation.event([4, 0x3E, 6, 0x0C, 0, 0x40, 0, 2, 2]),
        Conversation.event([4, 0x3E, 11, 7, 0x40, 0, 0xFB, 0, 0, 8, 27, 0, 0, 8]),
        Conversation.event([4, 8, 4, 0, 0x40, 0, 1]),
        Conversation.event([4, 0x3E, 10, 3, 0x3B, 0x40, 0, 0, 0, 0, 0, 0, 0]),
        Conversation.event([4, 5, 4, 0, 0x40, 0, 0x13]),
        Conversation.begin(peer: 2),
      ])
    #expect(timeline.connections.count == 2)
    let first = timeline.connections[0]
    #expect(first.isCentral == false && first.address == 0x0605_0403_0201)
    #expect(
      first.entries.map { "\($0.aspect.rawValue): \($0.text)" } == [
        "connection: begins, as peripheral", "parameters: interval 30 ms, latency 0, timeout 720 ms",
        "mtu: 247 (client 517, server 247)",
        "request: requests an interval of 15 ms to 30 ms, latency 0, timeout 2000 ms", "request: rejected",
        "parameters: interval 15 ms, latency 4, timeout 2000 ms", "phy: LE 2M",
        "data-length: 251 octets out, 27 in", "encryption: on",
        "request: parameters refused: Unacceptable Connection Parameters (0x3B)",
        "connection: ends: Remote User Terminated Connection (0x13)",
      ])
    #expect(timeline.connections[1].address == 0x0605_0403_0202)
  }

  @Test("HCI shows beginning, sniff mode and end of a connection over BR/EDR, and its synchronous one")
  func classic() {
    let peer: [UInt8] = [1, 2, 3, 4, 5, 6]
    let timeline = Self.timeline([
      Conversation.event([4, 3, 11, 0, 0x40, 0] + peer + [1, 0]),
      Conversation.event([4, 0x14, 6, 0, 0x40, 0, 2, 0x20, 3]), Conversation.event([4, 0x14, 6, 0, 0x40, 0, 0, 0, 0]),
      Conversation.event([4, 0x2C, 17, 0, 0x41, 0] + peer + [2, 6, 2, 60, 0, 60, 0, 2]),
      Conversation.event([4, 5, 4, 0, 0x40, 0, 0x13]),
    ])
    #expect(
      timeline.connections.map { $0.entries.map(\.text) } == [
        [
          "begins, over BR/EDR", "Sniff (0x02), every 0.5 seconds", "Active (0x00)",
          "ends: Remote User Terminated Connection (0x13)",
        ], ["begins, synchronous"],
      ])
    #expect(timeline.connections.map(\.address) == [0x0605_0403_0201, 0x0605_0403_0201])
  }

  @Test("PDUs on the air show the same changes")
  func air() {
    func data(_ octets: [UInt8], _ kind: CapturedAirPacket.Kind) -> CaptureRecord {
      CaptureRecord(.air(AirReception(accessAddress: 0x5065_4A27, kind: kind)), octets: octets)
    }
    let connect: [UInt8] =
      [0xC5, 34] + [1, 2, 3, 4, 5, 6] + [7, 8, 9, 10, 11, 12] + [0x27, 0x4A, 0x65, 0x50] + [1, 2, 3]
      + [2, 0, 0, 24, 0, 0, 0, 72, 0] + [0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 7]
    let timeline = Self.timeline([
      CaptureRecord(.air(AirReception(accessAddress: AirReception.advertisingAccessAddress)), octets: connect),
      data([3, 5, 0x18, 2, 1, 9, 0], .toPeripheral), data([0x0B, 1, 5], .toCentral),
      data([3, 12, 0, 1, 0, 0, 6, 0, 1, 0, 100, 0, 40, 0], .toPeripheral),
    ])
    #expect(
      timeline.connections.map { $0.entries.map(\.text) } == [
        [
          "begins", "interval 30 ms, latency 0, timeout 720 ms", "LE 2M to the peripheral, LE 1M back", "on",
        ]
      ])
  }

  @Test("The numbers of entries and connections are bounded")
  func bounds() {
    let update = Conversation.event([4, 0x3E, 10, 3, 0, 0x40, 0, 12, 0, 4, 0, 0xC8, 0])
    let timeline = Self.timeline(Array(repeating: update, count: ConnectionTimeline.entryLimit + 7))
    #expect(timeline.connections.map(\.entries.count) == [ConnectionTimeline.entryLimit])
  }
}
