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

  @Test(
    "The controller learns whether the peer may exchange roles, and use sniff mode",
    arguments: zip([(true, true), (false, true), (true, false), (false, false)], [5, 4, 1, 0] as [UInt8]))
  func linkPolicy(allowed: (roleSwitch: Bool, sniff: Bool), expected: UInt8) throws {
    var settings = ClassicSettings(name: "Dual")
    (settings.allowsRoleSwitch, settings.allowsSniff) = allowed
    let stage = try ClassicBench(settings)
    #expect(try stage.last(.writeDefaultLinkPolicySettings) == [expected, 0])
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

  @Test("Modes change while it runs, and stay through a restart of the controller")
  func modes() throws {
    let stage = try ClassicBench(ClassicSettings(name: "Dual", classOfDevice: 0x240418))
    stage.bench.forget()
    try stage.bench.perform(.setModes(ClassicModes(discoverability: ClassicSettings.Discoverability.none)))
    #expect(try stage.last(.writeScanEnable) == [2])
    try stage.bench.perform(.setModes(ClassicModes(isConnectable: false)))
    #expect(try stage.last(.writeScanEnable) == [0])
    try stage.bench.perform(.setModes(ClassicModes(discoverability: .limited(.seconds(30)), isConnectable: true)))
    #expect(try stage.last(.writeClassOfDevice) == [0x18, 0x24, 0x24])
    #expect(try stage.last(.writeCurrentIACLAP) == [2, 0x00, 0x8B, 0x9E, 0x33, 0x8B, 0x9E])
    #expect(try stage.last(.writeScanEnable) == [3])
    stage.bench.advance(.seconds(31))
    #expect(try stage.last(.writeScanEnable) == [2])
    #expect(try stage.last(.writeClassOfDevice) == [0x18, 0x04, 0x24])
    try stage.bench.perform(.setModes(ClassicModes(discoverability: .general)))
    #expect(try stage.last(.writeCurrentIACLAP) == [1, 0x33, 0x8B, 0x9E])
    #expect(try stage.last(.writeScanEnable) == [3])
    #expect(stage.bench.stack.classicSettings?.isConnectable == true)
  }

  @Test("An accessory with LE alone has no modes of BR/EDR")
  func noModes() throws {
    let bench = try Bench(.dual, TestAccessory.configuration(identity: .publicAddress))
    bench.start()
    #expect(throws: HostRequestError.noClassic) { try bench.perform(.setModes(ClassicModes(isConnectable: false))) }
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
      stage.exchangeCapabilities(.displayYesNo, bonds ? .generalBondingMITM : .noBondingMITM)
      #expect(Array(try stage.last(.ioCapabilityRequestReply).suffix(3)) == expected)
    }
  }

  @Test("A pairing that could only be refused is refused at once")
  func obstacles() throws {
    let deaf = try ClassicBench { $0.isPairable = false }
    deaf.connect()
    deaf.exchangeCapabilities()
    #expect(try deaf.last(.ioCapabilityRequestNegativeReply).last == 0x18)
    let forgetful = try ClassicBench { $0.bonds = false }
    forgetful.connect()
    forgetful.exchangeCapabilities(.displayYesNo, .dedicatedBonding)
    #expect(try forgetful.last(.ioCapabilityRequestNegativeReply).last == 0x18)
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

  @Test("No keys are derived from a link key with which the link is not encrypted yet")
  func derivationFromTheNextKey() throws {
    let stage = try ClassicBench { $0.ioCapability = .displayYesNo }
    stage.connect()
    stage.pair(.unauthenticatedP256)
    stage.exchangeCapabilities()
    stage.complete(.authenticatedP256, key: [UInt8](repeating: 9, count: 16))
    stage.bench.forget()
    let request: [UInt8] = [0x01, 3, 0, 0x09, 16, 1, 1]
    stage.bench.send(request, channel: 7, ClassicBench.handle)
    // Pairing Failed: Cross-transport Key Derivation/Generation not allowed.
    #expect(stage.bench.frames.map { Array($0.octets[4...]) } == [[0x05, 0x0E]])
    #expect(stage.bench.stack.bonds.map(\.bond.keyAsPeripheral) == [nil])
    stage.encrypt()
    stage.bench.forget()
    stage.bench.send(request, channel: 7, ClassicBench.handle)
    #expect(stage.bench.frames.map { $0.octets[4] } == [SMPCode.pairingResponse.rawValue])
    let bond = try #require(stage.bench.stack.bonds.first?.bond)
    #expect(bond.keyAsPeripheral != nil && bond.strength.isAuthenticated)
  }
}
