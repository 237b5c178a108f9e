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

@Suite("Channels over BR/EDR")
struct ClassicChannelTests {
  @Test("Service records can be read without security, and follow the database")
  func discovery() throws {
    let stage = try ClassicBench()
    stage.connect()
    let channel = try stage.open(.serviceDiscovery)
    // Service Search Request for L2CAP: all records.
    let request: [UInt8] = [0x02, 0, 1, 0, 8, 0x35, 3, 0x19, 0x01, 0x00, 0, 20, 0]
    let answer = try #require(stage.exchange(request, on: channel).first)
    // The server itself, GAP, GATT and the service of the test.
    #expect(Array(answer.prefix(9)) == [0x03, 0, 1, 0, 21, 0, 4, 0, 4])
    #expect(stage.exchange([0x02, 0, 2], on: channel) == [[0x01, 0, 2, 0, 2, 0, 4]])
  }

  @Test("The channel of the Attribute Protocol waits until the link is encrypted by this side")
  func pending() throws {
    let stage = try ClassicBench(bond: ClassicBench.bond())
    stage.connect()
    let request = ChannelConnectionRequest(psm: .attributeProtocol, source: ChannelID(rawValue: 0x70))
    let pending = try #require(stage.signal(request, 1).first)
    #expect(Array(pending[8...]) == [1, 0, 1, 0])
    #expect(stage.opcodes == [.authenticationRequested])
    stage.bench.event(HCILinkKeyRequest { $0.address = ClassicBench.peer })
    stage.bench.event(HCIAuthenticationComplete { $0.connectionHandle.rawValue = ClassicBench.handle })
    #expect(stage.opcodes.last == .setConnectionEncryption)
    let before = stage.bench.frames.count
    stage.encrypt()
    let response = try #require(stage.bench.frames[before...].first?.octets)
    #expect(response[4] == SignallingCode.connectionResponse.rawValue && Array(response[12...]) == [0, 0, 0, 0])
  }

  @Test("A channel that is being configured when the encryption ends is closed, and serves nothing")
  func encryptionEndsBefore() throws {
    let stage = try ClassicBench(bond: ClassicBench.bond())
    stage.connect()
    stage.signal(ChannelConnectionRequest(psm: .attributeProtocol, source: ChannelID(rawValue: 0x70)), 1)
    stage.bench.event(HCILinkKeyRequest { $0.address = ClassicBench.peer })
    stage.bench.event(HCIAuthenticationComplete { $0.connectionHandle.rawValue = ClassicBench.handle })
    stage.encrypt()
    let before = stage.bench.frames.count
    stage.bench.event(HCIEncryptionChange { $0.connectionHandle.rawValue = ClassicBench.handle })
    let ended = stage.bench.frames[before...].filter {
      $0.octets[2] == 1 && $0.octets[4] == SignallingCode.disconnectionRequest.rawValue
    }
    #expect(ended.map { $0.octets[8] } == [0x70])
  }

  @Test("If the peer cannot be authenticated, the channel is refused")
  func unauthenticated() throws {
    let stage = try ClassicBench()
    stage.connect()
    stage.signal(ChannelConnectionRequest(psm: .attributeProtocol, source: ChannelID(rawValue: 0x70)), 1)
    let before = stage.bench.frames.count
    stage.bench.event(
      HCIAuthenticationComplete {
        $0.status = .pinOrKeyMissing
        $0.connectionHandle.rawValue = ClassicBench.handle
      })
    let response = try #require(stage.bench.frames[before...].first?.octets)
    #expect(Array(response[12...14]) == [3, 0, 0])
  }

  @Test("The database is served: reads, an MTU of the channel, notifications, and nothing on the channels of LE")
  func attributes() throws {
    let stage = try ClassicBench()
    stage.connect()
    stage.pair()
    let channel = try stage.open(.attributeProtocol, mtu: 60)
    let database = stage.bench.stack.server.database
    let text = database[TestAccessory.text].value
    #expect(stage.exchange(ReadRequest(handle: text).encodedPDU, on: channel) == [[0x0B] + Array("text".utf8)])
    #expect(stage.bench.stack.linkStates[0].mtu == 60)
    let refusal = stage.exchange(ExchangeMTURequest(clientMTU: 100).encodedPDU, on: channel)
    #expect(refusal == [[0x01, 0x02, 0, 0, 0x06]])
    let before = stage.bench.frames.count
    stage.bench.send(ReadRequest(handle: text).encodedPDU, channel: 4, ClassicBench.handle)
    #expect(stage.bench.frames.count == before)
    // It follows the value.
    let configuration = database[TestAccessory.measurement].value + 1
    stage.exchange(WriteRequest(handle: configuration, value: [1, 0]).encodedPDU, on: channel)
    let notified = stage.bench.frames.count
    try stage.bench.perform(.notify(TestAccessory.measurement))
    #expect(stage.received(from: notified).map { $0[0] } == [0x1B])
    // Several at once all fit.
    let several = stage.bench.frames.count
    let notify = ApplicationAction.notify(TestAccessory.measurement)
    try stage.bench.perform(.perform([notify, notify, notify]))
    #expect(stage.received(from: several).map { $0[0] } == [0x1B, 0x1B, 0x1B])
    #expect(stage.bench.violations == [])
  }

  @Test("Without encryption, the channel of the Attribute Protocol is closed, and nothing more is answered on it")
  func encryptionEnds() throws {
    let stage = try ClassicBench()
    stage.connect()
    stage.pair(.authenticatedP192)
    let channel = try stage.open(.attributeProtocol)
    let before = stage.bench.frames.count
    stage.bench.event(HCIEncryptionChange { $0.connectionHandle.rawValue = ClassicBench.handle })
    let text = stage.bench.stack.server.database[TestAccessory.text].value
    stage.bench.send(ReadRequest(handle: text).encodedPDU, channel: channel, ClassicBench.handle)
    #expect(stage.bench.frames[before...].map { $0.octets[4] } == [SignallingCode.disconnectionRequest.rawValue])
    #expect(stage.bench.stack.linkStates.count == 1)
  }

  @Test("In Enhanced Retransmission Mode the database is served in segments, and what is lost is sent again")
  func retransmission() throws {
    let stage = try ClassicBench()
    stage.connect()
    stage.pair()
    // Information Request: the accessory has the mode, and the option for check sequences.
    let features = stage.signal(InformationRequest(.extendedFeatures), 9)
    #expect(features.first.map { Array($0[8...]) } == [0xA8, 4, 0, 0])
    var option = RetransmissionOption(mode: .enhancedRetransmission)
    (option.transmitWindow, option.maximumTransmissions, option.mps) = (8, 2, 50)
    let channel = try stage.open(.attributeProtocol, mtu: 100, options: [ConfigurationOption(option)])
    func exchange(_ control: EnhancedControl, _ pdu: [UInt8] = []) -> [[UInt8]] {
      let frame = control.rawValue.littleEndianOctets + pdu
      let check = FrameCheckSequence.of(frame.span, on: ChannelID(rawValue: channel))
      return stage.exchange(frame + check.littleEndianOctets, on: channel).map { $0.dropLast(2) }
    }
    let text = TestAccessory.text
    try stage.bench.perform(.perform([.store(text, [UInt8](repeating: 5, count: 80))]))
    let read = ReadRequest(handle: stage.bench.stack.server.database[text].value).encodedPDU
    let answer = [0x0B] + [UInt8](repeating: 5, count: 80)
    let frames = exchange(EnhancedControl(txSeq: 0, .unsegmented, reqSeq: 0), read)
    #expect(frames == [[0x00, 0x41, 81, 0] + answer[..<48], [0x02, 0x81] + answer[48...]])
    #expect(exchange(EnhancedControl(.reject, reqSeq: 1)) == [[0x02, 0x81] + answer[48...]])
    // The timer of the channel is one of the host's.
    let before = stage.bench.frames.count
    stage.bench.advance(.seconds(2))
    #expect(stage.received(from: before).map { $0.dropLast(2) } == [[0x11, 1]])
    #expect(exchange(EnhancedControl(.receiverReady, reqSeq: 2, isFinal: true)) == [])
    #expect(stage.bench.stack.linkStates[0].mtu == 100)
    // A peer that breaks the rules loses the channel, but not the link.
    stage.bench.forget()
    #expect(exchange(EnhancedControl(.receiverReady, reqSeq: 9)) == [])
    #expect(stage.bench.frames.last.map { $0.octets[4] } == SignallingCode.disconnectionRequest.rawValue)
    stage.signal(
      DisconnectionResponse(destination: ChannelID(rawValue: 0x70), source: ChannelID(rawValue: channel)),
      try #require(stage.bench.frames.last?.octets[5]))
    #expect(
      stage.bench.events.faults == [
        .signalling(
          ConnectionHandle(rawValue: ClassicBench.handle),
          "closed a channel after the acknowledgement of a frame that was not sent")
      ])
    #expect(stage.bench.violations == [])
  }

  @Test("Service records can be read in Enhanced Retransmission Mode")
  func discoveryRetransmission() throws {
    let stage = try ClassicBench()
    stage.connect()
    var option = RetransmissionOption(mode: .enhancedRetransmission)
    (option.transmitWindow, option.maximumTransmissions, option.mps) = (8, 2, 100)
    let options = [ConfigurationOption(option), ConfigurationOption(FrameCheckOption(check: .none))]
    let channel = try stage.open(.serviceDiscovery, options: options)
    let request: [UInt8] = [0x02, 0, 1, 0, 8, 0x35, 3, 0x19, 0x01, 0x00, 0, 20, 0]
    let frame = [0, 0] + request
    let check = FrameCheckSequence.of(frame.span, on: ChannelID(rawValue: channel))
    let answer = try #require(stage.exchange(frame + check.littleEndianOctets, on: channel).first)
    #expect(Array(answer.prefix(11)) == [0, 1, 0x03, 0, 1, 0, 21, 0, 4, 0, 4])
  }

  @Test("Long data uses the controller's buffers for BR/EDR, in packets with its flags")
  func buffers() throws {
    var script = ControllerScript.dual
    script.completesPackets = false
    let stage = try ClassicBench(script: script)
    stage.connect()
    stage.pair()
    stage.bench.completeAll()
    // Each frame of the opening needs a buffer.
    let answers = stage.signal(ChannelConnectionRequest(psm: .attributeProtocol, source: ChannelID(rawValue: 0x70)), 1)
    #expect(answers.count == 1)
    stage.bench.send([0x04, 2, 8, 0, 0x40, 0, 0, 0, 1, 2, 0, 2], channel: 1, ClassicBench.handle)
    stage.bench.completeAll()
    let request = try #require(stage.bench.frames.last?.octets)
    stage.bench.send([0x05, request[5], 6, 0, 0x40, 0, 0, 0, 0, 0], channel: 1, ClassicBench.handle)
    stage.bench.completeAll()
    let text = TestAccessory.text
    try stage.bench.perform(.perform([.store(text, [UInt8](repeating: 5, count: 500))]))
    stage.bench.forget()
    let read = ReadRequest(handle: stage.bench.stack.server.database[text].value).encodedPDU
    stage.bench.send(read, channel: 0x40, ClassicBench.handle)
    #expect(stage.bench.packets.map(\.octets.count) == [200, 200])
    #expect(stage.bench.packets.map(\.boundary) == [.firstFromController, .continuing])
    stage.bench.completeAll()
    #expect(stage.bench.packets.map(\.octets.count) == [200, 200, 105])
    #expect(stage.bench.violations == [])
  }

  @Test("What is due on a link ends with it, the question of a pairing too")
  func end() throws {
    let stage = try ClassicBench { $0.ioCapability = .displayYesNo }
    stage.connect()
    stage.pair()
    _ = try stage.open(.attributeProtocol)
    stage.exchangeCapabilities()
    stage.confirm()
    stage.bench.forget()
    stage.bench.disconnect(ClassicBench.handle)
    let ends = stage.bench.events.compactMap { event -> SecurityEvent? in
      if case .security(_, let event) = event { event } else { nil }
    }
    #expect(ends == [.questionEnded, .cut])
    #expect(stage.bench.stack.linkStates.isEmpty)
    stage.request()
    #expect(stage.opcodes == [.acceptConnectionRequest])
  }

  // MARK: Anything

  @Test("No event and no data of a peer upset the host", arguments: 0..<20 as Range<UInt64>)
  func anything(seed: UInt64) throws {
    let stage = try ClassicBench()
    var random = SplitMix64(seed: seed)
    let codes: [UInt8] = [
      0x03, 0x04, 0x05, 0x06, 0x08, 0x12, 0x14, 0x16, 0x17, 0x18, 0x31, 0x32, 0x33, 0x34, 0x35, 0x36, 0x3B, 0x3C,
    ]
    stage.connect()
    for step in 0..<300 {
      if step % 30 == 0 { stage.connect() }
      switch Int.random(in: 0..<4, using: &random) {
      case 0:
        let code = codes[Int.random(in: 0..<codes.count, using: &random)]
        var octets = (0..<Int.random(in: 0..<26, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        let prefix =
          code == 0x03 || code == 0x06 ? [0, UInt8(ClassicBench.handle), 0] : ClassicBench.peer.littleEndianOctets
        octets = prefix + octets
        stage.bench.receive([0x04, code, UInt8(octets.count)] + octets)
      case 1: stage.pair([.authenticatedP256, .unauthenticatedP192][Int.random(in: 0..<2, using: &random)])
      default:
        let channel: UInt16 = [1, 4, 5, 6, 7, 0x40, 0x41, 0x42, 0xFFC0][Int.random(in: 0..<9, using: &random)]
        var octets = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        if channel == 1, octets.count >= 4 {
          octets[0] = UInt8.random(in: 1...0x1A, using: &random)
          (octets[2], octets[3]) = (UInt8(octets.count - 4), 0)
          if octets.count > 5, Bool.random(using: &random) { (octets[4], octets[5]) = (0x1F, 0) }
        }
        stage.bench.send(octets, channel: channel, ClassicBench.handle)
      }
      if step % 50 == 0 { stage.bench.advance(.seconds(3)) }
    }
    #expect(stage.bench.violations == [])
    stage.bench.disconnect(ClassicBench.handle)
    stage.request()
    #expect(stage.opcodes.contains(.acceptConnectionRequest))
  }
}
