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

@Suite("BR/EDR")
struct ClassicHostTests {
  // MARK: Being found

  @Test("The controller learns what the device says of itself, and how it pairs, before it scans")
  func bringUp() throws {
    let stage = try ClassicBench(ClassicSettings(name: "Dual", classOfDevice: 0x240418))
    let opcodes = stage.opcodes
    let scan = try #require(opcodes.firstIndex(of: .writeScanEnable))
    let earlier: [CommandOpcode] = [
      .readBufferSize, .writeSimplePairingMode, .writeSecureConnectionsHostSupport, .writeLocalName,
      .writeClassOfDevice, .writeExtendedInquiryResponse,
    ]
    for opcode in earlier { #expect(try #require(opcodes.firstIndex(of: opcode)) < scan, "\(opcode)") }
    #expect(try stage.last(.writeScanEnable) == [3])
    #expect(try stage.last(.writeClassOfDevice) == [0x18, 0x04, 0x24])
    #expect(Array(try stage.last(.writeLocalName).prefix(5)) == Array("Dual".utf8) + [0])
    #expect(
      Array(try stage.last(.writeExtendedInquiryResponse).prefix(11)) == [0, 5, 9] + Array("Dual".utf8) + [
        3, 3, 0xF0, 0xFF,
      ])
    #expect(stage.bench.violations == [])
  }

  @Test("Limited discoverable mode ends after its time")
  func limited() throws {
    let stage = try ClassicBench(
      ClassicSettings(name: "Dual", classOfDevice: 0x240418, discoverability: .limited(.seconds(60))))
    #expect(try stage.last(.writeClassOfDevice) == [0x18, 0x24, 0x24])
    #expect(try stage.last(.writeCurrentIACLAP) == [2, 0x00, 0x8B, 0x9E, 0x33, 0x8B, 0x9E])
    #expect(try stage.last(.writeScanEnable) == [3])
    stage.bench.forget()
    stage.bench.advance(.seconds(59))
    #expect(!stage.opcodes.contains(.writeScanEnable))
    stage.bench.advance(.seconds(2))
    #expect(try stage.last(.writeScanEnable) == [2])
    #expect(try stage.last(.writeClassOfDevice) == [0x18, 0x04, 0x24])
  }

  @Test("A controller without BR/EDR is refused, unless BR/EDR is optional", arguments: [false, true])
  func absent(isOptional: Bool) throws {
    var script = ControllerScript.dual
    script.answers[.readLocalSupportedFeatures] = .complete(
      HCIReadLocalSupportedFeatures.ReturnParameters { $0.features = .brEDRNotSupported }.encoded)
    var configuration = TestAccessory.configuration(identity: .publicAddress)
    configuration.classic = ClassicSettings(name: "Dual", isOptional: isOptional)
    let bench = try Bench(script, configuration)
    bench.start()
    let failure = bench.events.contains { if case .controllerFailed(.noClassic) = $0 { true } else { false } }
    #expect(failure == !isOptional)
    #expect(!bench.commands.contains { $0.opcode == .writeScanEnable || $0.opcode == .readBufferSize })
  }

  @Test("It is neither found nor connected to while it sleeps and after a shutdown")
  func off() throws {
    let stage = try ClassicBench()
    stage.bench.forget()
    stage.bench.shutDown()
    #expect(try stage.last(.writeScanEnable) == [0])
    #expect(stage.bench.events.tags.last == "stopped")
  }

  // MARK: Connections

  @Test("A connection is accepted as a peripheral; audio and more connections than there may be are rejected")
  func connections() throws {
    let stage = try ClassicBench()
    stage.request()
    #expect(try stage.last(.acceptConnectionRequest) == ClassicBench.peer.littleEndianOctets + [1])
    stage.request(.esco)
    #expect(stage.opcodes == [.rejectConnectionRequest])
    stage.connect()
    stage.request()
    #expect(try stage.last(.rejectConnectionRequest).last == 0x0D)
    // A link over BR/EDR does not end advertising.
    stage.bench.connect(0)
    #expect(stage.bench.events.tags.contains("connected 0"))
    #expect(stage.bench.stack.linkStates.map(\.details.transport) == [.classic, .le])
  }

  // MARK: Keys

  @Test("The key of the bond is supplied, if the host would accept it from a pairing")
  func linkKeys() throws {
    let cases: [(bond: Bond?, requiresAuthentication: Bool, isSupplied: Bool)] = [
      (nil, false, false), (ClassicBench.bond(), false, true), (ClassicBench.bond(), true, true),
      (ClassicBench.bond(isAuthenticated: false), false, true),
      (ClassicBench.bond(isAuthenticated: false), true, false),
    ]
    for (bond, requiresAuthentication, isSupplied) in cases {
      let stage = try ClassicBench(bond: bond) { $0.requiresAuthentication = requiresAuthentication }
      stage.connect()
      stage.bench.event(HCILinkKeyRequest { $0.address = ClassicBench.peer })
      let address = ClassicBench.peer.littleEndianOctets
      if isSupplied {
        #expect(try stage.last(.linkKeyRequestReply) == address + ClassicBench.key)
      } else {
        #expect(try stage.last(.linkKeyRequestNegativeReply) == address)
      }
    }
  }

  @Test("A PIN and data out of band are refused, and so is everything about a peer without a link")
  func refusals() throws {
    let stage = try ClassicBench(bond: ClassicBench.bond())
    let peer = ClassicBench.peer
    stage.bench.event(HCILinkKeyRequest { $0.address = peer })
    #expect(stage.opcodes.last == .linkKeyRequestNegativeReply)
    stage.exchangeCapabilities()
    #expect(stage.opcodes.last == .ioCapabilityRequestNegativeReply)
    stage.confirm()
    #expect(stage.opcodes.last == .userConfirmationRequestNegativeReply)
    stage.bench.event(HCIUserPasskeyRequest { $0.address = peer })
    #expect(stage.opcodes.last == .userPasskeyRequestNegativeReply)
    stage.connect()
    stage.bench.event(HCIPINCodeRequest { $0.address = peer })
    #expect(stage.opcodes.last == .pinCodeRequestNegativeReply)
    stage.bench.event(HCIRemoteOOBDataRequest { $0.address = peer })
    #expect(stage.opcodes.last == .remoteOOBDataRequestNegativeReply)
  }

  @Test("Capabilities and requirements follow from the policy (Core 5.4 Vol 3 Part C 5.2.2.4, 5.2.2.5)")
  func capabilities() throws {
    let cases: [(IOCapability, bonds: Bool, prefers: Bool, expected: [UInt8])] = [
      (.noInputNoOutput, true, false, [3, 0, 4]), (.displayYesNo, true, true, [1, 0, 5]),
      (.keyboardDisplay, false, true, [1, 0, 1]), (.keyboardOnly, false, false, [2, 0, 0]),
      (.displayOnly, true, false, [0, 0, 4]),
    ]
    for (capability, bonds, prefers, expected) in cases {
      let stage = try ClassicBench {
        ($0.ioCapability, $0.bonds, $0.prefersAuthentication) = (capability, bonds, prefers)
      }
      stage.connect()
      stage.exchangeCapabilities()
      #expect(Array(try stage.last(.ioCapabilityRequestReply).suffix(3)) == expected)
    }
  }

  @Test("A pairing that could only be refused is refused at once")
  func obstacles() throws {
    let deaf = try ClassicBench { $0.isPairable = false }
    deaf.connect()
    deaf.exchangeCapabilities()
    #expect(try deaf.last(.ioCapabilityRequestNegativeReply).last == 0x18)
    let strict = try ClassicBench {
      ($0.ioCapability, $0.requiresAuthentication) = (.displayYesNo, true)
    }
    strict.connect()
    strict.exchangeCapabilities(.noInputNoOutput, .generalBonding)
    #expect(try strict.last(.ioCapabilityRequestNegativeReply).last == 0x05)
  }

  @Test("Numbers are compared by the user, and confirmed without one if nobody asks for protection")
  func confirmation() throws {
    let silent = try ClassicBench { $0.ioCapability = .displayYesNo }
    silent.connect()
    silent.exchangeCapabilities(.displayYesNo, .generalBonding)
    silent.confirm()
    #expect(silent.opcodes.last == .userConfirmationRequestReply)
    for answer in [PairingAnswer.accept, .refuse] {
      let stage = try ClassicBench { $0.ioCapability = .displayYesNo }
      stage.connect()
      stage.exchangeCapabilities()
      stage.confirm(42)
      #expect(stage.opcodes.last == .ioCapabilityRequestReply)
      let isAsked = stage.bench.events.contains {
        if case .security(_, .asked(.comparison(42))) = $0 { true } else { false }
      }
      #expect(isAsked)
      try stage.bench.perform(.answerPairing(ConnectionHandle(rawValue: ClassicBench.handle), answer))
      #expect(
        stage.opcodes.last
          == (answer == .accept ? .userConfirmationRequestReply : .userConfirmationRequestNegativeReply))
    }
  }

  @Test("A bond is not weakened by a pairing: the link ends, and the old key remains")
  func takeover() throws {
    let stage = try ClassicBench(bond: ClassicBench.bond())
    stage.connect()
    stage.exchangeCapabilities(.noInputNoOutput, .generalBonding)
    stage.confirm()
    stage.complete(.unauthenticatedP256, key: [UInt8](repeating: 9, count: 16))
    #expect(stage.opcodes.contains(.disconnect))
    #expect(stage.bench.stack.bonds.map(\.bond) == [ClassicBench.bond()])
  }

  @Test("A bond keeps its keys of LE when the link key is replaced by one as strong")
  func merging() throws {
    var bond = ClassicBench.bond()
    bond.keyAsPeripheral = LongTermKey(key: [UInt8](repeating: 7, count: 16))
    let stage = try ClassicBench(bond: bond) { $0.ioCapability = .displayYesNo }
    stage.connect()
    let key = [UInt8](repeating: 9, count: 16)
    stage.exchangeCapabilities()
    stage.complete(.authenticatedP256, key: key)
    #expect(stage.bench.stack.bonds.map(\.bond.linkKey) == [key])
    #expect(stage.bench.stack.bonds.map(\.bond.keyAsPeripheral) == [bond.keyAsPeripheral])
  }

  @Test("Without bonding on both sides, the key serves only this link")
  func withoutBonding() throws {
    let stage = try ClassicBench()
    stage.connect()
    stage.exchangeCapabilities(.displayYesNo, .noBonding)
    stage.complete(.unauthenticatedP256)
    stage.encrypt()
    #expect(stage.bench.stack.bonds == [])
    #expect(stage.bench.stack.linkStates[0].security.protection == .encrypted)
  }

  @Test("A link with a short key is ended", arguments: [6, 7, 16] as [UInt8])
  func shortKeys(size: UInt8) throws {
    var script = ControllerScript.dual
    script.setKeySize(size)
    let stage = try ClassicBench(script: script)
    stage.connect()
    stage.pair()
    #expect(stage.opcodes.contains(.disconnect) == (size < 7))
    if size >= 7 {
      let expected: LinkProtection = size == 16 ? .secureConnections : .authenticated
      #expect(stage.bench.stack.linkStates[0].security.protection == expected)
    }
  }

  @Test("A request for derived keys waits until the size of the link's key is known")
  func derivation() throws {
    var script = ControllerScript.dual
    script.answers[.readEncryptionKeySize] = .silence
    let stage = try ClassicBench(script: script) { $0.ioCapability = .displayYesNo }
    stage.connect()
    stage.pair()
    stage.bench.forget()
    // Pairing Request: bonding and Secure Connections, keys of 16 octets, for encryption.
    stage.bench.send([0x01, 3, 0, 0x09, 16, 1, 1], channel: 7, ClassicBench.handle)
    #expect(stage.bench.frames.isEmpty)
    stage.bench.answer(.readEncryptionKeySize, [0, UInt8(ClassicBench.handle), 0, 16])
    #expect(stage.bench.frames.map { $0.octets[4] } == [SMPCode.pairingResponse.rawValue])
    #expect(stage.bench.stack.bonds.map { $0.bond.keyAsPeripheral != nil && $0.bond.linkKey != nil } == [true])
  }

  // MARK: Channels

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
    #expect(answers.count == 2)
    stage.bench.completeAll()
    let request = try #require(stage.bench.frames.last?.octets)
    stage.bench.send([0x05, request[5], 6, 0, 0x40, 0, 0, 0, 0, 0], channel: 1, ClassicBench.handle)
    stage.bench.send([0x04, 2, 8, 0, 0x40, 0, 0, 0, 1, 2, 0, 2], channel: 1, ClassicBench.handle)
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
        let channel: UInt16 = [1, 4, 5, 6, 7, 0x40, 0x41, 0x42][Int.random(in: 0..<8, using: &random)]
        var octets = (0..<Int.random(in: 0..<40, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
        if channel == 1, octets.count >= 4 {
          octets[0] = UInt8.random(in: 1...0x0B, using: &random)
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
