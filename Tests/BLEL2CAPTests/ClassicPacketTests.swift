import BLECore
import BLEL2CAP
import Testing

/// The signalling packets of BR/EDR. The octets are those that Bumble 0.0.236 makes of the same fields.
@Suite("Packets for channels of BR/EDR")
struct ClassicPacketTests {
  private static let source = ChannelID(rawValue: 0x0040)
  private static let destination = ChannelID(rawValue: 0x0041)

  /// Compares a packet with the octets of another implementation, in both directions, and cuts it at every octet.
  private func check<Packet: SignallingPacket & Hashable>(
    _ packet: Packet, identifier: UInt8, octets: String, sourceLocation: SourceLocation = #_sourceLocation
  ) throws {
    let whole = try #require([UInt8](hexadecimal: octets), sourceLocation: sourceLocation)
    var buffer = OctetBuffer()
    packet.encodePacket(identifier: identifier, into: &buffer)
    #expect(buffer.copy().hexadecimal == whole.hexadecimal, sourceLocation: sourceLocation)
    let data = Array(whole.dropFirst(SignallingHeader.octetCount))
    #expect(try Packet(decoding: data) == packet, sourceLocation: sourceLocation)
    for length in 0..<data.count {
      if let cut = try? Packet(decoding: Array(data.prefix(length))) {
        #expect(cut.encoded == Array(data.prefix(length)), sourceLocation: sourceLocation)
      }
      _ = Packet.describe(Array(data.prefix(length)))
    }
  }

  @Test("Connection Request, with a PSM of two and of three octets")
  func connectionRequest() throws {
    try check(
      ChannelConnectionRequest(psm: .audioVideoDistribution, source: Self.source), identifier: 1,
      octets: "02010400 1900 4000")
    var request = ChannelConnectionRequest(psm: PSM(rawValue: 0x0101), source: Self.destination)
    request.psmExtension = [0x02]
    try check(request, identifier: 2, octets: "02020500 010102 4100")
    #expect(throws: LayoutFault.self) { try ChannelConnectionRequest(decoding: [0x01, 0x01, 0x03, 0x05, 0x07]) }
  }

  @Test("Connection Response")
  func connectionResponse() throws {
    try check(
      ChannelConnectionResponse(
        destination: Self.destination, source: Self.source, result: .pending, status: .authorizationPending),
      identifier: 1, octets: "03010800 4100 4000 0100 0200")
  }

  @Test("Configuration Request with options")
  func configurationRequest() throws {
    var retransmission = RetransmissionOption(mode: .enhancedRetransmission)
    (retransmission.transmitWindow, retransmission.maximumTransmissions) = (63, 20)
    (retransmission.retransmissionTimeout, retransmission.monitorTimeout, retransmission.mps) = (2000, 12000, 1010)
    var check = FrameCheckOption()
    check.check = .none
    let request = ConfigurationRequest(
      destination: Self.destination, flags: .continuation,
      options: [
        ConfigurationOption(MTUOption(mtu: 1024)), ConfigurationOption(retransmission), ConfigurationOption(check),
      ])
    try self.check(
      request, identifier: 3, octets: "04031600 4100 0100 01020004 0409 033f14d007e02ef203 050100")
    #expect(request.options[1].value(as: RetransmissionOption.self) == retransmission)
    #expect(request.options[1].value(as: MTUOption.self) == nil)
  }

  @Test("Configuration Response with options, one of them unknown and a hint")
  func configurationResponse() throws {
    var quality = QualityOfServiceOption()
    (quality.serviceType, quality.tokenRate, quality.tokenBucketSize) = (.guaranteed, 1000, 2000)
    (quality.peakBandwidth, quality.latency, quality.delayVariation) = (3000, 4000, 5000)
    var flow = ExtendedFlowOption()
    (flow.maximumSDUSize, flow.interArrivalTime, flow.accessLatency, flow.flushTimeout) = (672, 5, 6, 7)
    var window = ExtendedWindowOption()
    window.maximumWindow = 256
    let unknown = ConfigurationOption(ConfigurationOptionType(rawValue: 0x89), [0xAA, 0xBB])
    #expect(unknown.type.isHint)
    try check(
      ConfigurationResponse(
        source: Self.source, result: .unacceptableParameters,
        options: [
          ConfigurationOption(FlushTimeoutOption()), ConfigurationOption(quality), ConfigurationOption(flow),
          ConfigurationOption(window), unknown,
        ]),
      identifier: 3,
      octets: "05033c00 4000 0000 0100 0202ffff 0316 0002e8030000d0070000b80b0000a00f000088130000"
        + "0610 0101a002050000000600000007000000 07020001 8902aabb")
  }

  @Test("An option with a wrong length keeps its octets")
  func wrongLength() throws {
    let option = try ConfigurationOption(decoding: [0x01, 0x03, 1, 2, 3])
    #expect(option == ConfigurationOption(.mtu, [1, 2, 3]))
    #expect(option.value(as: MTUOption.self) == nil)
    #expect(ConfigurationOption(.mtu, [1]).encoded == [0x01, 0x01, 1])
    #expect(try ConfigurationOption(decoding: [0x81, 2, 0, 1]).value(as: MTUOption.self) == MTUOption(mtu: 256))
  }

  @Test("Echo Request and Response")
  func echo() throws {
    try check(EchoRequest(data: Array("hello".utf8)), identifier: 5, octets: "08050500 68656c6c6f")
    try check(EchoResponse(), identifier: 5, octets: "09050000")
  }

  @Test("Information Request and Response")
  func information() throws {
    try check(InformationRequest(.extendedFeatures), identifier: 6, octets: "0a060200 0200")
    try check(
      InformationResponse(extendedFeatures: [
        .enhancedRetransmissionMode, .streamingMode, .frameCheckOption, .fixedChannels, .unicastConnectionlessData,
      ]), identifier: 6, octets: "0b060800 0200 0000 b8020000")
    try check(InformationResponse(connectionlessMTU: 1024), identifier: 6, octets: "0b060600 0100 0000 0004")
    try check(
      InformationResponse(fixedChannels: [.signalling, .connectionless, .securityManager]), identifier: 7,
      octets: "0b070c00 0300 0000 8600000000000000")
    try check(
      InformationResponse(InformationType(rawValue: 9), .notSupported), identifier: 8, octets: "0b080400 0900 0100")
  }

  @Test("Codes, flags and options have their names")
  func meanings() {
    #expect(PSM.rfcomm.meaning == "RFCOMM (0x0003)")
    #expect(PSM(rawValue: 0x1001).meaning == nil)
    #expect(ConnectionResult.securityBlock.meaning == "Security Block (0x0003)")
    #expect(
      ExtendedFeatures([.streamingMode, .fixedChannels]).meaning == "Streaming Mode, Fixed Channels (0x00000090)")
    #expect(ConfigurationOptionType(rawValue: 0x82).meaning == "Flush Timeout, hint (0x82)")
    let described = ConfigurationOption(RetransmissionOption(mode: .streaming)).described
    #expect(described.map(\.name).prefix(3) == ["Option Type", "Option Length", "Mode"])
    #expect(described[2].meaning == "Streaming (0x04)")
  }

  @Test(
    "A valid PSM ends with an even octet and begins with an odd one",
    arguments: [(0x0001, true), (0x1001, true), (0x0002, false), (0x0101, false), (0xFEFF, true)])
  func psms(psm: UInt16, isValid: Bool) { #expect(PSM(rawValue: psm).isValid == isValid) }
}
