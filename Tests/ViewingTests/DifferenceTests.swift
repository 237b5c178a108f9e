import BLESMP
import Capture
import Decoding
import Testing

@testable import Viewing

@Suite("Differences of captures")
struct DifferenceTests {
  private static func transcript(_ records: [CaptureRecord], comparingValues: Bool = false) -> Transcript {
    var decoder = PacketDecoder()
    var transcript = Transcript(comparingValues: comparingValues)
    for record in records { transcript.add(decoder.receive(record), record, decoder) }
    return transcript
  }

  private static func marked(_ difference: TranscriptDifference) -> [String] {
    difference.lines.filter { !$0.isCommon }.map { ($0.first == nil ? "+ " : "- ") + $0.text }
  }

  @Test("Captures do not differ by handles, addresses, connections, measured values or repetitions")
  func same() {
    let first = [Conversation.begin()] + Conversation.heartRate()
    let second =
      [Conversation.begin(handle: 0x41, peer: 9)] + Conversation.heartRate(handle: 0x41, offset: 6, value: 99)
      + [Conversation.sent([0x1B, 9, 0, 0, 61], handle: 0x41)]
    #expect(TranscriptDifference(Self.transcript(first), Self.transcript(second)).isEmpty)
    let withValues = TranscriptDifference(
      Self.transcript(first, comparingValues: true), Self.transcript(second, comparingValues: true))
    #expect(
      Self.marked(withValues) == [
        "- peripheral  Handle Value Notification - Heart Rate Measurement - 0050",
        "+ peripheral  Handle Value Notification - Heart Rate Measurement - 0063",
        "+ peripheral  Handle Value Notification - Heart Rate Measurement - 003d",
      ])
  }

  @Test("Signals over BR/EDR differ by what they say, not by their transactions, and media not at all")
  func classic() {
    func session(transaction: UInt8, signal: UInt8, media: UInt8) -> [CaptureRecord] {
      func open(_ cid: UInt8) -> [CaptureRecord] {
        [
          Conversation.sent([2, cid, 4, 0, 0x19, 0, cid, 0], channel: 1),
          Conversation.received([3, cid, 8, 0, cid, 0, cid, 0, 0, 0, 0, 0], channel: 1),
        ]
      }
      return [Conversation.event([4, 3, 11, 0, 0x40, 0, 1, 2, 3, 4, 5, 6, 1, 0])] + open(0x40) + open(0x41) + [
        Conversation.sent([transaction << 4, signal, 4], channel: 0x40),
        Conversation.sent([0x80, 0x60, 0, media, 0, 0, 0, 0, 0, 0, 0, 0, 7], channel: 0x41),
      ]
    }
    let first = Self.transcript(session(transaction: 1, signal: 6, media: 1))
    #expect(TranscriptDifference(first, Self.transcript(session(transaction: 2, signal: 6, media: 9))).isEmpty)
    let other = Self.transcript(session(transaction: 1, signal: 7, media: 1))
    #expect(
      Self.marked(TranscriptDifference(first, other)).map {
        $0.split(separator: "  ").last.map { String($0.drop { $0 == " " }) } ?? ""
      }
        == ["Open Command - ACP SEID: 1", "Start Command - ACP SEID: 1"])
  }

  private static func sided(_ records: [CaptureRecord]) -> Transcript {
    var decoder = PacketDecoder()
    var transcript = SidedTranscript()
    for record in records { transcript.add(decoder.receive(record), record, decoder) }
    return transcript.chosen
  }

  @Test("If a capture has all sides of a connection, the peripheral's side is compared")
  func sides() throws {
    let own = [Conversation.begin()] + Conversation.heartRate()
    var request: [UInt8] = [
      5, 34, 1, 2, 3, 4, 5, 6, 6, 5, 4, 3, 2, 1, 0xAB, 0x5D, 0x65, 0x50, 0, 0, 0, 1, 0, 0, 24, 0, 0, 0,
    ]
    request += [72, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0x1F, 5]
    var all = [CaptureRecord(.air(AirReception(accessAddress: AirReception.advertisingAccessAddress)), octets: request)]
    for record in own {
      // Packets that the peripheral's host sends are received by the central's host, with its own handle.
      var other = record
      guard case .hci(let direction) = record.content else { continue }
      other.source = 1
      if record.octets[0] == 4 {
        other.octets[7] = 0
      } else {
        other.content = .hci(direction == .hostToController ? .controllerToHost : .hostToController)
      }
      let pdu = Array(record.octets.dropFirst(5))
      all += record.octets[0] == 4 ? [record, other] : [record]
      if record.octets[0] == 2 {
        let kind: CapturedAirPacket.Kind = direction == .hostToController ? .toCentral : .toPeripheral
        let air = AirReception(accessAddress: 0x5065_5DAB, kind: kind)
        all += [CaptureRecord(.air(air), source: 2, octets: [2, UInt8(pdu.count)] + pdu), other]
      }
    }
    #expect(all.count > 2 * own.count)
    let difference = TranscriptDifference(Self.sided(own), Self.sided(all))
    #expect(difference.isEmpty, "\(Self.marked(difference))")
    #expect(difference.lines.count > 8)
    // Without the hosts, the air is compared.
    let air = all.filter { if case .air = $0.content { true } else { false } }
    #expect(Self.sided(air).steps.contains { $0.text.contains("Write Request") })
    // A capture that begins during the connection also has one side.
    #expect(TranscriptDifference(Self.sided(Array(own.dropFirst())), Self.transcript(Array(own.dropFirst()))).isEmpty)
  }

  @Test("The difference reports the steps that only one capture has, with their direction")
  func different() {
    let works = [Conversation.begin()] + Conversation.heartRate()
    var features = PairingFeatures()
    features.requirements = [.bonding]
    let fails =
      [Conversation.begin(interval: 12)] + Conversation.heartRate().prefix(6) + [
        Conversation.received([0x12, 4, 0, 1, 0]), Conversation.sent([0x01, 0x12, 4, 0, 0x05]),
        Conversation.received(PairingRequest(features).packet, channel: 6),
      ]
    let difference = TranscriptDifference(Self.transcript(works), Self.transcript(fails))
    let marked = Self.marked(difference)
    #expect(
      Array(marked.prefix(3)) == [
        "- link        parameters: interval 30 ms, latency 0, timeout 720 ms",
        "+ link        parameters: interval 15 ms, latency 0, timeout 720 ms",
        "- peripheral  Write Response - Heart Rate Measurement - Configuration",
      ])
    #expect(
      marked.contains {
        $0.hasPrefix("+ peripheral  Error Response") && $0.contains("Insufficient Authentication")
      })
    #expect(marked.contains { $0.hasPrefix("+ central     Pairing Request - IO Capability") })
    #expect(difference.hunks(context: 1).count == 2)
    #expect(difference.hunks(context: 1)[0].count == 4)
  }

  @Test("The difference of any two transcripts is the shortest", arguments: 0..<20)
  func shortest(seed: UInt64) {
    var state = seed &* 6_364_136_223_846_793_005 &+ 1
    func draw(_ bound: UInt64) -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return (state >> 33) % bound
    }
    func writes() -> ([UInt8], Transcript) {
      let values = (0..<Int(draw(12))).map { _ in UInt8(draw(3)) }
      // Equal consecutive steps count as one.
      let steps = values.enumerated().filter { $0.offset == 0 || values[$0.offset - 1] != $0.element }.map(\.element)
      return (steps, Self.transcript(values.map { Conversation.received([0x52, 3, 0, $0]) }))
    }
    let ((a, first), (b, second)) = (writes(), writes())
    var table = [[Int]](repeating: [Int](repeating: 0, count: b.count + 1), count: a.count + 1)
    for x in a.indices {
      for y in b.indices {
        table[x + 1][y + 1] = a[x] == b[y] ? table[x][y] + 1 : max(table[x][y + 1], table[x + 1][y])
      }
    }
    let lines = TranscriptDifference(first, second).lines
    #expect(lines.count { $0.isCommon } == table[a.count][b.count])
    #expect(lines.compactMap(\.first).count == a.count && lines.compactMap(\.second).count == b.count)
  }
}
