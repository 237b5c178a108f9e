import BLEATT
import BLECore
import BLEGAP
import BLEGATT
import BLEHCI
import BLELink
import PeripheralHost
import Testing

@Suite("Bring-up")
struct BringUpTests {
  private func up(
    _ script: ControllerScript, _ configuration: HostConfiguration = TestAccessory.configuration()
  ) throws -> Bench {
    let bench = try Bench(script, configuration)
    bench.start()
    #expect(bench.violations == [])
    return bench
  }

  @Test("A basic controller is brought up and advertises")
  func basic() throws {
    let bench = try up(.basic)
    #expect(bench.events.tags == ["controller", "started main", "ready main"])
    #expect(
      bench.opcodes() == [
        .reset, .readLocalVersionInformation, .readLocalSupportedCommands, .leReadLocalSupportedFeatures, .setEventMask,
        .leSetEventMask, .leReadBufferSize, .readBDADDR, .leSetRandomAddress, .leSetAdvertisingParameters,
        .leReadAdvertisingPhysicalChannelTxPower, .leSetAdvertisingData, .leSetScanResponseData,
        .leSetAdvertisingEnable,
      ])
    #expect(bench.stack.controller.aclLength == 27 && bench.stack.controller.aclCount == 4)
    #expect(bench.stack.address == TestAccessory.address && bench.stack.addressType == .random)
    #expect(bench.stack.activeSets == ["main"])
    #expect(bench.stack.deadline == nil)
  }

  @Test("A controller with everything gets every request, and none for legacy advertising")
  func extended() throws {
    let bench = try up(.extended)
    #expect(bench.events.tags == ["controller", "started main", "ready main"])
    #expect(bench.stack.controller.aclLength == 251 && bench.stack.controller.aclCount == 8)
    #expect(bench.stack.controller.maximumDataLength == 251)
    #expect(
      bench.stack.controller.advertising
        == AdvertisingCapabilities(usesExtendedCommands: true, maximumDataLength: 191, setCount: 2))
    let opcodes = bench.opcodes()
    for opcode in ControllerScript.longPacketCommands where ![.leSetDataLength].contains(opcode) {
      #expect(opcodes.contains(opcode))
    }
    for opcode: CommandOpcode in [
      .leReadBufferSize, .leSetAdvertisingParameters, .leSetAdvertisingData, .leSetAdvertisingEnable,
      .leReadAdvertisingPhysicalChannelTxPower,
    ] { #expect(!opcodes.contains(opcode)) }
    #expect(opcodes.contains(.leSetRandomAddress) && opcodes.contains(.leSetAdvertisingSetRandomAddress))
  }

  @Test("Only commands in the mask are sent", arguments: [ControllerScript.basic, .extended])
  func mask(_ script: ControllerScript) throws {
    let bench = try up(script)
    for opcode in bench.opcodes() { #expect(script.commands.contains(opcode), "\(opcode)") }
  }

  @Test("Buffer sizes come from version 2 of the command, or version 1, or BR/EDR", arguments: [true, false])
  func bufferSizes(knowsSecond: Bool) throws {
    var script = ControllerScript.extended
    script.answers[.leReadBufferSizeV2] = .status(.unknownHCICommand)
    if !knowsSecond { script.commands.remove(.leReadBufferSizeV2) }
    #expect(try up(script).stack.controller.aclLength == 251)
    #expect(try up(script).opcodes().contains(.leReadBufferSizeV2) == knowsSecond)
    script.answers[.leReadBufferSize] = .complete([0, 0, 0, 0])
    script.commands.insert(.readBufferSize)
    script.answers[.readBufferSize] = .complete([0, 0x40, 0x01, 0, 6, 0, 0, 0])
    let bench = try up(script)
    #expect(bench.stack.controller.aclLength == 320 && bench.stack.controller.aclCount == 6)
    #expect(bench.events.tags.contains("ready main"))
  }

  @Test("A controller without data buffers cannot be used")
  func noBuffers() throws {
    var script = ControllerScript.basic
    script.answers[.leReadBufferSize] = .complete([0, 0, 0, 0])
    script.answers[.readBufferSize] = .complete([0, 0, 0, 0, 0, 0, 0, 0])
    #expect(try up(script).events.failure == .nonsense(.readBufferSize))
    script.answers[.readBufferSize] = .status(.unknownHCICommand)
    #expect(try up(script).events.failure == .refused(.readBufferSize, .unknownHCICommand))
  }

  @Test("A controller that does not report its features gets only the minimum")
  func noMask() throws {
    var script = ControllerScript.basic
    script.answers[.readLocalSupportedCommands] = .status(.unknownHCICommand)
    script.answers[.readLocalVersionInformation] = .status(.unknownHCICommand)
    script.answers[.leReadLocalSupportedFeatures] = .status(.unknownHCICommand)
    let bench = try up(script)
    #expect(bench.events.tags.last == "ready main")
    #expect(!bench.opcodes().contains(.readBDADDR))
  }

  @Test(
    "Indispensable commands must not be refused",
    arguments: [
      CommandOpcode.reset, .setEventMask, .leSetEventMask, .leReadBufferSize, .leSetRandomAddress,
    ])
  func refused(_ opcode: CommandOpcode) throws {
    var script = ControllerScript.basic
    script.answers[opcode] = .status(.unknownHCICommand)
    let bench = try up(script)
    #expect(bench.events.failure == .refused(opcode, .unknownHCICommand))
    #expect(bench.opcodes().last == opcode)
    #expect(bench.stack.deadline == nil)
    script.answers[opcode] = .complete([ErrorCode.commandDisallowed.rawValue])
    #expect(try up(script).events.failure == .refused(opcode, .commandDisallowed))
  }

  @Test(
    "Optional commands may be refused, by status or by a single octet",
    arguments: [
      CommandOpcode.readLocalVersionInformation, .readBDADDR, .leReadMaximumDataLength,
      .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY, .writeLEHostSupport,
    ])
  func dispensable(_ opcode: CommandOpcode) throws {
    var script = ControllerScript.extended
    script.answers[opcode] = .status(.unknownHCICommand)
    #expect(try up(script).events.tags.last == "ready main")
    script.answers[opcode] = .complete([ErrorCode.unknownHCICommand.rawValue])
    #expect(try up(script).events.tags.last == "ready main")
    script.answers[opcode] = .complete([])
    #expect(try up(script).events.tags.last == "ready main")
  }

  @Test("Buffer sizes that do not fit the layout are invalid")
  func nonsense() throws {
    var script = ControllerScript.basic
    script.answers[.leReadBufferSize] = .complete([0, 27])
    #expect(try up(script).events.failure == .nonsense(.leReadBufferSize))
  }

  /// Returns the mask of LE events for a controller, octet by octet (Core 5.4 Vol 4 Part E 7.8.1).
  private func eventMask(_ bench: Bench) throws -> LEEventMask {
    let parameters = try #require(bench.commands.last { $0.opcode == .leSetEventMask }).parameters
    return LEEventMask(rawValue: parameters.reversed().reduce(0) { $0 << 8 | UInt64($1) })
  }

  @Test(
    "LE events are enabled only if the controller's version or one of its features defines them",
    arguments: [
      (CoreVersion.v4_0, LEFeatures(), []), (.v4_1, [], [.remoteConnectionParameterRequest]),
      (.v4_0, .connectionParametersRequest, [.remoteConnectionParameterRequest]),
      (.v4_2, [], [.remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete]),
      (
        .v4_1, .extendedAdvertising,
        [.remoteConnectionParameterRequest, .phyUpdateComplete, .advertisingSetTerminated]
      ),
      (
        .v5_0, [],
        [
          .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
          .advertisingSetTerminated,
        ]
      ),
    ] as [(CoreVersion, LEFeatures, LEEventMask)])
  func eventsByVersion(version: CoreVersion, features: LEFeatures, newer: LEEventMask) throws {
    var script = ControllerScript.basic
    (script.version, script.features) = (version, features)
    let mask = try eventMask(try up(script))
    let oldest: LEEventMask = [.connectionComplete, .connectionUpdateComplete]
    #expect(mask.isSuperset(of: oldest))
    let all: LEEventMask = [
      .remoteConnectionParameterRequest, .dataLengthChange, .enhancedConnectionComplete, .phyUpdateComplete,
      .advertisingSetTerminated,
    ]
    #expect(mask.intersection(all) == newer)
  }

  @Test("A controller that refuses the mask of LE events is asked only for the oldest ones")
  func refusedEventMask() throws {
    var script = ControllerScript.extended
    script.answers[.leSetEventMask] = .complete([ErrorCode.unsupportedFeatureOrParameterValue.rawValue])
    let bench = try Bench(script)
    bench.start()
    let masks = bench.commands.filter { $0.opcode == .leSetEventMask }
    #expect(masks.count == 2 && masks.last?.parameters == [0x1F, 0, 0, 0, 0, 0, 0, 0])
  }

  @Test(
    "Flow control to the host stays off where it is known not to work",
    arguments: [
      (ControllerManufacturer.zephyr, CoreVersion.v5_4, true), (.google, .v5_4, false), (.none, .v5_0, false),
      (.none, .v5_4, true),
    ])
  func flowControlByQuirk(manufacturer: ControllerManufacturer, version: CoreVersion, isUsed: Bool) throws {
    var script = ControllerScript.extended
    for opcode in ControllerScript.flowControlCommands { script.commands.insert(opcode) }
    (script.manufacturer, script.version) = (manufacturer, version)
    let bench = try up(script)
    #expect(bench.opcodes().contains(.setControllerToHostFlowControl) == isUsed)
  }

  @Test("Any PHY that a central requests is accepted, and the preferred one is requested on each link")
  func phys() throws {
    var script = ControllerScript.extended
    script.features.formUnion([.phy2M, .phyCoded])
    script.commands.insert(.leSetPHY)
    var configuration = TestAccessory.configuration()
    configuration.connection.preferredPHY = .le2M
    let bench = try up(script, configuration)
    let byDefault = try #require(bench.commands.first { $0.opcode == .leSetDefaultPHY }).parameters
    #expect(Array(byDefault[1...]) == [0b111, 0b111])
    bench.connect()
    let wanted = try #require(bench.commands.first { $0.opcode == .leSetPHY }).parameters
    // The fastest PHY that both sides support is selected, and the others stay possible (Core 5.4 Vol 6 Part B 5.1.10).
    #expect(Array(wanted[2...4]) == [0, 0b111, 0b111])
  }

  /// A controller that reports itself like Bumble's virtual one: extended advertising works and is a feature, but is not in the mask;
  /// unknown commands get no answer; some commands in the mask are refused with a single octet.
  private func bumble(offersExtendedAdvertising: Bool) throws -> ControllerScript {
    let mask = "2000800300c000000000e4000000a822000000000000040000f7ffff7f00000030f0f9ff010080040020"
    var script = ControllerScript.basic
    script.commands.octets = try #require([UInt8](hexadecimal: mask)) + [UInt8](repeating: 0, count: 22)
    script.features = LEFeatures(rawValue: 0x0179FF)
    script.publicAddress = .zero
    script.bufferCount = 64
    script.maximumDataOctets = 27
    script.maximumAdvertisingData = 1650
    script.setCount = 0xF0
    script.manufacturer = .none
    script.version = .v5_0
    script.isSilentAboutUnknown = true
    for opcode: CommandOpcode in [.leSetDataLength, .readRSSI, .leRemoteConnectionParameterRequestReply] {
      script.answers[opcode] = .complete([1])
    }
    for opcode: CommandOpcode in [.leSetPHY, .readRemoteVersionInformation] { script.answers[opcode] = .silence }
    if offersExtendedAdvertising { for opcode in ControllerScript.extendedCommands { script.commands.insert(opcode) } }
    return script
  }

  @Test("Bumble's virtual controller gets no command that it does not answer", arguments: [false, true])
  func bumbleController(offersExtendedAdvertising: Bool) throws {
    let bench = try up(try bumble(offersExtendedAdvertising: offersExtendedAdvertising))
    #expect(bench.events.tags == ["controller", "started main", "ready main"])
    #expect(bench.stack.controller.advertising.usesExtendedCommands == offersExtendedAdvertising)
    // It routes data by this address, so it must be that of the advertising sets.
    let address = try #require(bench.commands.first { $0.opcode == .leSetRandomAddress }).parameters
    #expect(address == TestAccessory.address.littleEndianOctets)
    bench.event(
      LEConnectionComplete {
        $0.connectionHandle.rawValue = 1
        $0.role = .peripheral
        $0.interval.rawValue = 10
        $0.supervisionTimeout.rawValue = 10
      })
    if offersExtendedAdvertising { bench.event(LEAdvertisingSetTerminated { $0.connectionHandle.rawValue = 1 }) }
    // Packets longer than its reported buffers.
    bench.att(ExchangeMTURequest(clientMTU: 517), 1)
    bench.att(
      WriteRequest(handle: bench.valueHandle(TestAccessory.text), value: [UInt8](repeating: 7, count: 512)), 1)
    #expect(bench.attPDUs(1).last == [ATTOpcode.writeResponse.rawValue])
    bench.event(LERemoteConnectionParameterRequest { $0.connectionHandle.rawValue = 1 })
    bench.advance(.seconds(60))
    #expect(bench.events.faults == [] && bench.stack.linkStates.count == 1)
    bench.disconnect(1)
    #expect(bench.stack.activeSets == ["main"])
    #expect(bench.violations == [])
  }

  @Test("A controller that announces its boot before or during the reset is brought up once", arguments: [true, false])
  func bootAnnouncement(before: Bool) throws {
    var script = ControllerScript.basic
    script.answers[.reset] = .silence
    let bench = try Bench(script)
    let announcement = HCICommandComplete { $0.commandPackets = 1 }
    if before { bench.event(announcement) }
    bench.start()
    if !before { bench.event(announcement) }
    bench.answer(.reset, [0])
    #expect(bench.events.tags == ["controller", "started main", "ready main"])
    #expect(bench.opcodes().count { $0 == .reset } == 1)
  }

  @Test("The public address is used if the profile requests it, and must exist")
  func publicAddress() throws {
    let configuration = TestAccessory.configuration(identity: .publicAddress)
    let bench = try up(.basic, configuration)
    #expect(bench.stack.address == ControllerScript.basic.publicAddress && bench.stack.addressType == .publicDevice)
    #expect(!bench.opcodes().contains(.leSetRandomAddress))
    #expect(bench.events.tags.last == "ready main")
    var script = ControllerScript.basic
    script.publicAddress = .zero
    #expect(try up(script, configuration).events.failure == .noPublicAddress)
    script = .basic
    script.commands.remove(.readBDADDR)
    #expect(try up(script, configuration).events.failure == .noPublicAddress)
  }

  @Test("A derived address is the same at every start, and different for another name or seed")
  func derivedAddress() throws {
    func address(_ name: String, _ seed: UInt64) throws -> DeviceAddress {
      var configuration = TestAccessory.configuration(identity: .derivedStatic(from: name))
      configuration.seed = seed
      let bench = try up(.basic, configuration)
      let address = try #require(bench.stack.address)
      #expect(address.isValidRandomStatic)
      let sent = try #require(bench.commands.first { $0.opcode == .leSetRandomAddress })
      #expect(sent.parameters == address.littleEndianOctets)
      return address
    }
    let belt = try address("Belt", 0)
    #expect(try address("Belt", 0) == belt)
    #expect(try address("Belt", 1) != belt)
    #expect(try address("Bulb", 0) != belt)
  }

  @Test("Sets that the controller does not support are left out; if none is left, it is a failure")
  func unavailableSets() throws {
    let extended = AdvertisingSetDefinition(id: "long", kind: .extended, data: [])
    let both = TestAccessory.configuration(advertising: [TestAccessory.legacySet, extended])
    #expect(
      try up(.basic, both).events.tags == ["controller", "unavailable long", "started main", "ready main"])
    let bench = try up(.basic, TestAccessory.configuration(advertising: [extended]))
    guard case .noAdvertising(let reasons) = bench.events.failure else {
      Issue.record("no failure")
      return
    }
    #expect(reasons.count == 1 && reasons[0].hasPrefix("set long: "))
    #expect(try up(.basic, TestAccessory.configuration(advertising: [])).events.tags == ["controller", "ready "])
  }

  @Test("Long data packets are requested only up to the limits of the profile and the controller")
  func dataLength() throws {
    var script = ControllerScript.extended
    script.maximumDataOctets = 100
    let bench = try up(script)
    let suggestion = try #require(bench.commands.first { $0.opcode == .leWriteSuggestedDefaultDataLength })
    // (100 + 14) x 8 µs.
    #expect(suggestion.parameters == [100, 0, 0x90, 0x03])
    script.maximumDataOctets = 251
    let short = try up(script, TestAccessory.configuration(connection: ConnectionPolicy(dataLength: 27)))
    short.connect()
    #expect(!short.opcodes().contains(.leSetDataLength))
  }

  @Test("Failures say what, why and what to do")
  func descriptions() {
    #expect("\(ControllerFailure.silent(.reset, after: .seconds(4)))".contains("HCI_Reset (0x0C03) within 4.0 seconds"))
    #expect("\(ControllerFailure.refused(.reset, .hardwareFailure))".contains("Hardware Failure (0x03)"))
    #expect("\(ControllerFailure.nonsense(.reset))".contains("does not follow the specification"))
    #expect("\(ControllerFailure.noAdvertising(["a", "b"]))".hasSuffix("a; b"))
    #expect("\(ControllerFailure.noPublicAddress)".contains("`address: static`"))
  }
}
