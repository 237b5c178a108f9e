import BLECore
import BLEL2CAP
import Testing

@Suite("LE signalling channel")
struct SignallingChannelTests {
  private typealias Outcome = SignallingChannel.Outcome
  private var channel = SignallingChannel()
  private let start = Instant(nanoseconds: 5)

  private mutating func receive(_ hexadecimal: String) -> (outcome: Outcome, reply: String) {
    var reply = OctetBuffer()
    let frame = [UInt8](hexadecimal: hexadecimal) ?? []
    let outcome = channel.receive(frame.span, reply: &reply)
    return (outcome, reply.copy().hexadecimal)
  }

  private mutating func requestParameters() -> [UInt8] {
    var request = ConnectionParameterUpdateRequest()
    (request.intervalMinimum, request.intervalMaximum, request.latency, request.timeout) = (12, 24, 4, 600)
    var buffer = OctetBuffer()
    channel.requestParameters(request, at: start, into: &buffer)
    return buffer.copy()
  }

  private mutating func expire(at now: Instant) -> Bool { channel.expire(at: now) }

  // MARK: - Rejections (Core 5.4 Vol 3 Part A 4.1)

  @Test("A peripheral rejects a Connection Parameter Update Request")
  mutating func rejectsParameterUpdate() {
    let (outcome, reply) = receive("12 01 0800 0600 0600 0000 c800")
    #expect(outcome == .rejected(.connectionParameterUpdateRequest))
    #expect(reply == "010102000000")
  }

  @Test(
    "An unknown request is rejected with its identifier",
    arguments: [
      0x00, 0x02, 0x04, 0x06, 0x0A, 0x0E, 0x12, 0x14, 0x16, 0x17, 0x19, 0x1B, 0x7F, 0xFF,
    ] as [UInt8])
  mutating func rejectsUnknown(code: UInt8) {
    let (outcome, reply) = receive([code, 0x42, 0, 0].hexadecimal)
    #expect(outcome == .rejected(SignallingCode(rawValue: code)))
    #expect(reply == "014202000000")
  }

  @Test("A request above the signalling MTU is rejected with that MTU")
  mutating func rejectsTooLong() {
    let (outcome, reply) = receive([0x14, 0x07, 20, 0].hexadecimal + String(repeating: "00", count: 20))
    #expect(outcome == .rejected(.leCreditBasedConnectionRequest))
    #expect(reply == "010704000100" + "1700")
  }

  @Test("A request of exactly the signalling MTU is not too long")
  mutating func longestRequest() {
    let (_, reply) = receive([0x14, 0x07, 19, 0].hexadecimal + String(repeating: "00", count: 19))
    #expect(reply == "010702000000")
  }

  @Test("A rejection is appended to the buffer")
  mutating func appends() {
    var reply = OctetBuffer()
    reply.append(0xAA as UInt8)
    let frame: [UInt8] = [0x14, 1, 0, 0]
    _ = channel.receive(frame.span, reply: &reply)
    #expect(reply.copy() == [0xAA, 1, 1, 2, 0, 0, 0])
  }

  // MARK: - What is ignored

  @Test(
    "A frame that is too short, has a wrong length, or the identifier 0 is ignored",
    arguments: [
      "", "14", "1401", "140100", "1401 0100", "1401 0000 00", "1401 ffff", "1400 0000",
      "1200 0800 0600 0600 0000 c800",
      "1401 0a00 0000 0000",
    ])
  mutating func malformed(frame: String) {
    let (outcome, reply) = receive(frame)
    #expect(outcome == .malformed)
    #expect(reply.isEmpty)
  }

  @Test(
    "A response is never rejected, whatever its code and length",
    arguments: [
      0x01, 0x03, 0x05, 0x07, 0x09, 0x0B, 0x0D, 0x0F, 0x11, 0x13, 0x15, 0x18, 0x1A,
    ] as [UInt8])
  mutating func responses(code: UInt8) {
    #expect(SignallingCode(rawValue: code).isResponse)
    #expect(receive([code, 0x01, 0, 0].hexadecimal).reply.isEmpty)
    #expect(receive([code, 0x01, 40, 0].hexadecimal + String(repeating: "00", count: 40)).reply.isEmpty)
  }

  // MARK: - Our Connection Parameter Update Request (Core 5.4 Vol 3 Part A 4.20, 4.21)

  @Test("A peripheral requests connection parameters")
  mutating func asks() {
    #expect(requestParameters().hexadecimal == "12010800" + "0c00" + "1800" + "0400" + "5802")
    #expect(channel.deadline == start + .seconds(30))
  }

  @Test("The central's response is reported once", arguments: [(0 as UInt16, true), (1, false), (2, false)])
  mutating func answered(result: UInt16, isAccepted: Bool) {
    _ = requestParameters()
    let response = "13 01 0200 " + [UInt8(result & 0xFF), UInt8(result >> 8)].hexadecimal
    let (outcome, reply) = receive(response)
    #expect(outcome == .parametersAnswered(accepted: isAccepted))
    #expect(reply.isEmpty)
    #expect(channel.deadline == nil)
    #expect(receive(response).outcome == .malformed)
  }

  @Test("A central that rejects the request has not accepted it")
  mutating func rejected() {
    _ = requestParameters()
    #expect(receive("01 01 0200 0000").outcome == .parametersAnswered(accepted: false))
    #expect(channel.deadline == nil)
  }

  @Test(
    "Responses to something else change nothing",
    arguments: [
      "13 02 0200 0000", "01 02 0200 0000", "13 01 0100 00", "13 01 0300 000000", "15 01 0a00 0000 0000 0000 0000 0000",
    ])
  mutating func otherAnswers(frame: String) {
    _ = requestParameters()
    let (outcome, reply) = receive(frame)
    #expect(outcome == .malformed || outcome == .handled)
    #expect(reply.isEmpty)
    #expect(channel.deadline == start + .seconds(30))
  }

  @Test("A missing response is given up after 30 seconds")
  mutating func expires() {
    #expect(!expire(at: Instant(nanoseconds: .max)))
    _ = requestParameters()
    #expect(!expire(at: start + .seconds(30) - .nanoseconds(1)))
    #expect(expire(at: start + .seconds(30)))
    #expect(channel.deadline == nil)
    #expect(!expire(at: start + .seconds(60)))
    #expect(receive("13 01 0200 0000").outcome == .malformed)
  }

  @Test("Identifiers count from 1 to 255 and are never 0")
  mutating func identifiers() {
    var seen: [UInt8] = []
    for _ in 0..<300 { seen.append(requestParameters()[1]) }
    #expect(Array(seen.prefix(256)) == Array(1...255) + [1])
    #expect(!seen.contains(0))
  }

  // MARK: - Random frames

  @Test("Random frames get at most one answer, which is a rejection with their identifier", arguments: 0..<30)
  mutating func random(seed: Int) {
    var state = UInt64(seed) &* 0x9E37_79B9_7F4A_7C15 | 1
    func next(_ bound: Int) -> Int {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return Int(state >> 33) % bound
    }
    for _ in 0..<300 {
      var frame = (0..<next(40)).map { _ in UInt8(next(256)) }
      if frame.count >= 4, next(4) > 0 {
        frame[0] = UInt8(next(0x1C))
        (frame[2], frame[3]) = (UInt8(frame.count - 4), 0)
      }
      if next(10) == 0 { _ = requestParameters() }
      var reply = OctetBuffer()
      let outcome = channel.receive(frame.span, reply: &reply)
      guard case .rejected(let code) = outcome else {
        #expect(reply.copy().isEmpty)
        continue
      }
      #expect(code.rawValue == frame[0])
      #expect(!code.isResponse)
      #expect(reply.copy().prefix(2) == [0x01, frame[1]])
      #expect(reply.count == Int(reply[2]) + 4)
    }
  }
}
