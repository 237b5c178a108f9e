import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLEL2CAP
import BLELink
import BLESMP
import PeripheralHost
import Testing

@Suite("Enhanced credit-based channels over BR/EDR")
struct ClassicCreditTests {
  /// A link that is encrypted, with an accessory that has two enhanced bearers.
  let stage: ClassicBench
  private var identifier: UInt8 = 0x20

  init() throws {
    stage = try ClassicBench(enhancedBearers: 2)
    stage.connect()
    stage.pair()
  }

  /// Requests channels with these CIDs of the peer, and returns the response.
  private mutating func request(_ psm: SPSM, _ sources: [UInt16], mtu: UInt16 = 100) throws
    -> CreditBasedConnectionResponse
  {
    identifier += 1
    var packet = CreditBasedConnectionRequest()
    (packet.psm, packet.mtu, packet.mps, packet.initialCredits) = (psm, mtu, mtu, 100)
    packet.sources = sources.map { ChannelID(rawValue: $0) }
    let answer = try #require(stage.signal(packet, identifier).first)
    #expect(answer[0] == SignallingCode.creditBasedConnectionResponse.rawValue && answer[1] == identifier)
    return try CreditBasedConnectionResponse(decoding: Array(answer[4...]).span)
  }

  /// Sends a PDU of a client on a bearer, and returns the PDUs that come on that CID of the peer.
  private func exchange(_ pdu: [UInt8], on channel: ChannelID, _ remote: UInt16) -> [[UInt8]] {
    let before = stage.bench.frames.count
    stage.bench.send([UInt8(pdu.count), 0] + pdu, channel: channel.rawValue, ClassicBench.handle)
    return stage.bench.frames[before...].filter {
      $0.octets[2] == UInt8(remote & 0xFF) && $0.octets[3] == UInt8(remote >> 8)
    }
    .map { Array($0.octets[6...]) }
  }

  @Test("A client that has only enhanced bearers reads, subscribes, and gets messages, notifications and indications")
  mutating func bearers() throws {
    let response = try request(.enhancedAttributeProtocol, [0x0041, 0x1234])
    #expect(response.result == .success && response.destinations.count == 2)
    let database = stage.bench.stack.server.database
    let (first, second) = (response.destinations[0], response.destinations[1])
    let text = ReadRequest(handle: database[TestAccessory.text].value).encodedPDU
    #expect(exchange(text, on: first, 0x0041) == [[0x0B] + Array("text".utf8)])
    #expect(exchange(text, on: second, 0x1234) == [[0x0B] + Array("text".utf8)])
    for (characteristic, value) in [(TestAccessory.measurement, UInt8(1)), (TestAccessory.alarm, 2)] {
      let write = WriteRequest(handle: database[characteristic].value + 1, value: [value, 0]).encodedPDU
      #expect(exchange(write, on: first, 0x0041) == [[0x13]])
    }
    let before = stage.bench.frames.count
    try stage.bench.perform(.notify(TestAccessory.measurement))
    try stage.bench.perform(.indicate(TestAccessory.alarm))
    #expect(Set(stage.bench.frames[before...].map { $0.octets[6] }) == [0x1B, 0x1D])
    #expect(stage.bench.violations == [])
  }

  @Test("The records of services say that enhanced bearers exist")
  func records() throws {
    let channel = try stage.open(.serviceDiscovery, mtu: 600)
    // Service Search Attribute Request for the service of the test: all attributes.
    let request: [UInt8] = [0x06, 0, 1, 0, 15, 0x35, 3, 0x19, 0xFF, 0xF0, 2, 0, 0x35, 5, 0x0A, 0, 0, 0xFF, 0xFF, 0]
    let answer = try #require(stage.exchange(request, on: channel).first)
    // L2CAP with PSM 0x0027.
    let descriptor: [UInt8] = [0x35, 0x06, 0x19, 0x01, 0x00, 0x09, 0x00, 0x27]
    #expect(answer.indices.contains { answer[$0...].starts(with: descriptor) })
  }

  @Test("The peer's features say that it is possible, and requests of LE are not understood")
  func features() throws {
    let answer = try #require(stage.signal(InformationRequest(.extendedFeatures), 9).first)
    let features = try InformationResponse(decoding: Array(answer[4...]).span).extendedFeatures
    #expect(features.contains(.enhancedCreditBasedFlowControl))
    let refusal = try #require(stage.signal(LECreditBasedConnectionRequest(), 10).first)
    #expect(refusal[0] == SignallingCode.commandReject.rawValue && refusal[1] == 10)
  }

  @Test("Both kinds of channels share the signalling channel: packets of one frame, identifiers, and CIDs of the peer")
  mutating func shared() throws {
    let attributes = try stage.open(.attributeProtocol)
    // CID 0x0070 is that of the connection-oriented channel.
    let taken = try request(.enhancedAttributeProtocol, [0x0070, 0x0071])
    #expect(taken.result == .sourceCIDAlreadyAllocated)
    #expect(taken.destinations.map(\.rawValue)[0] == 0)
    let bearer = taken.destinations[1]
    let second = ChannelConnectionRequest(psm: .serviceDiscovery, source: ChannelID(rawValue: 0x0071))
    #expect(try #require(stage.signal(second, 11).first)[8] == 7)
    // One frame ends both.
    var frame = OctetBuffer()
    DisconnectionRequest(destination: bearer, source: ChannelID(rawValue: 0x0071)).encodePacket(
      identifier: 12, into: &frame)
    DisconnectionRequest(destination: ChannelID(rawValue: attributes), source: ChannelID(rawValue: 0x0070))
      .encodePacket(identifier: 13, into: &frame)
    let before = stage.bench.frames.count
    stage.bench.send(frame.copy(), channel: 1, ClassicBench.handle)
    let answers = stage.bench.frames[before...].map { Array($0.octets[4...5]) }
    #expect(answers == [[0x07, 12], [0x07, 13]])
  }

  @Test("A published channel carries data in both directions")
  mutating func published() throws {
    try stage.bench.perform(
      .channel(.publish(PublishedChannel(psm: SPSM(rawValue: 0x80), parameters: ChannelParameters(mtu: 500, mps: 100))))
    )
    let response = try request(SPSM(rawValue: 0x80), [0xFFFF])
    let channel = response.destinations[0]
    #expect(exchange(Array("hello".utf8), on: channel, 0xFFFF) == [])
    let handle = ConnectionHandle(rawValue: ClassicBench.handle)
    let received = stage.bench.events.compactMap { event -> [UInt8]? in
      if case .sdu(handle, channel, let sdu) = event { sdu } else { nil }
    }
    #expect(received == [Array("hello".utf8)])
    let before = stage.bench.frames.count
    try stage.bench.perform(.channel(.send(handle, channel, [1, 2, 3])))
    #expect(stage.bench.frames[before...].map { Array($0.octets[2...]) } == [[0xFF, 0xFF, 3, 0, 1, 2, 3]])
  }

  @Test("When the link's encryption ends, enhanced bearers and channels that need it are closed, and others stay")
  mutating func encryptionEnds() throws {
    let parameters = ChannelParameters(mtu: 500, mps: 100)
    let requirement = AccessRequirement(protection: .encrypted)
    for (psm, requirement) in [(SPSM(rawValue: 0x80), AccessRequirement.open), (SPSM(rawValue: 0x81), requirement)] {
      try stage.bench.perform(
        .channel(.publish(PublishedChannel(psm: psm, parameters: parameters, requirement: requirement))))
    }
    let bearer = try request(.enhancedAttributeProtocol, [0x0041]).destinations[0]
    _ = try request(SPSM(rawValue: 0x80), [0x0042])
    _ = try request(SPSM(rawValue: 0x81), [0x0043])
    let before = stage.bench.frames.count
    stage.bench.event(HCIEncryptionChange { $0.connectionHandle.rawValue = ClassicBench.handle })
    let ended = stage.bench.frames[before...].filter {
      $0.octets[2] == 1 && $0.octets[4] == SignallingCode.disconnectionRequest.rawValue
    }
    #expect(ended.map { $0.octets[8] } == [0x41, 0x43])
    let text = ReadRequest(handle: stage.bench.stack.server.database[TestAccessory.text].value).encodedPDU
    #expect(exchange(text, on: bearer, 0x0041) == [])
  }

  @Test("The accessory opens a channel with an enhanced request, and understands its rejection")
  func opens() throws {
    let handle = ConnectionHandle(rawValue: ClassicBench.handle)
    let before = stage.bench.frames.count
    try stage.bench.perform(.channel(.open(handle, SPSM(rawValue: 0x81), ChannelParameters(mtu: 200, mps: 100))))
    let packet = try #require(stage.bench.frames[before...].first?.octets)
    #expect(packet[2] == 1 && packet[4] == SignallingCode.creditBasedConnectionRequest.rawValue)
    stage.bench.send([0x01, packet[5], 2, 0, 0, 0], channel: 1, ClassicBench.handle)
    let closures = stage.bench.events.compactMap { event -> ChannelClosure? in
      if case .channel(_, .closed(_, _, let closure, _)) = event { closure } else { nil }
    }
    #expect(closures == [.refused(.notUnderstood)])
  }
}
