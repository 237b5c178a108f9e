import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

/// The limits in the tables of Core 5.4 Vol 4 Part E 7.1 to 7.5, and what a host reads back. The link has handle 1 at both ends.
@Suite("Parameters of BR/EDR")
struct ClassicParameterTests {
  private static let peer = DeviceAddress(bits: 0x0012_3400_0002)
  private static let link = ConnectionHandle(rawValue: 1)

  private func check(_ row: RangeCase, isConnected: Bool) throws {
    let stage = Stage()
    let (first, second) = try stage.classicHosts()
    if isConnected { _ = try stage.connectClassic(first, second) }
    first.forget()
    first.send(row.command)
    #expect(first.statuses == [row.status])
  }

  static let rows: [RangeCase] = [
    RangeCase("nothing wrong", HCIInquiry(), .success),
    RangeCase("code", HCIInquiry { $0.accessCode = InquiryAccessCode(rawValue: 0x9E_8B40) }),
    RangeCase("code", HCIInquiry { $0.accessCode = InquiryAccessCode(rawValue: 0x9E_8AFF) }),
    RangeCase("too short", HCIInquiry { $0.length.rawValue = 0 }),
    RangeCase("longest", HCIInquiry { $0.length.rawValue = 0x30 }, .success),
    RangeCase("too long", HCIInquiry { $0.length.rawValue = 0x31 }),
    RangeCase("mode", HCIWriteInquiryMode { $0.mode.rawValue = 3 }),
    RangeCase("repetition", HCIRemoteNameRequest { $0.repetitionMode.rawValue = 3 }),
    RangeCase("repetition", HCICreateConnection { $0.repetitionMode.rawValue = 3 }),
    RangeCase("nobody", HCICreateConnection { $0.address = peer }, .success),
    RangeCase("itself", HCICreateConnection { $0.address = DeviceAddress(bits: 0x0012_3400_0001) }),
    RangeCase("no request", HCIAcceptConnectionRequest { $0.address = peer }, .unknownConnectionIdentifier),
    RangeCase("no request", HCIRejectConnectionRequest { $0.address = peer }, .unknownConnectionIdentifier),
    RangeCase("scans", HCIWriteScanEnable { $0.scans = ScanEnable(rawValue: 4) }),
    RangeCase("interval", HCIWriteInquiryScanActivity { $0.interval.rawValue = 0x11 }),
    RangeCase("odd interval", HCIWriteInquiryScanActivity { $0.interval.rawValue = 0x0FFF }),
    RangeCase("interval", HCIWritePageScanActivity { $0.interval.rawValue = 0x1002 }),
    RangeCase("window", HCIWritePageScanActivity { $0.window.rawValue = 0x10 }),
    RangeCase("window", HCIWriteInquiryScanActivity { $0.window.rawValue = 0x1002 }),
    RangeCase("type", HCIWriteInquiryScanType { $0.type.rawValue = 2 }),
    RangeCase("type", HCIWritePageScanType { $0.type.rawValue = 2 }),
    RangeCase("no codes", HCIWriteCurrentIACLAP()),
    RangeCase("code", HCIWriteCurrentIACLAP { $0.accessCodes = [InquiryAccessCode(rawValue: 1)] }),
    RangeCase("power", HCIWriteInquiryTransmitPowerLevel { $0.txPower = 21 }),
    RangeCase("power", HCIWriteInquiryTransmitPowerLevel { $0.txPower = -71 }),
    RangeCase("timeout", HCIWritePageTimeout { $0.timeout.rawValue = 0 }),
    RangeCase("timeout", HCIWriteConnectionAcceptTimeout { $0.timeout.rawValue = 0 }),
    RangeCase("longest timeout", HCIWriteConnectionAcceptTimeout { $0.timeout.rawValue = 0xB540 }, .success),
    RangeCase("timeout", HCIWriteConnectionAcceptTimeout { $0.timeout.rawValue = 0xB541 }),
    RangeCase("voice", HCIWriteVoiceSetting { $0.setting = VoiceSetting(rawValue: 0x0400) }),
    RangeCase(
      "hold", HCIWriteDefaultLinkPolicySettings { $0.settings = .hold }, .unsupportedFeatureOrParameterValue),
    RangeCase("key size", HCISetMinEncryptionKeySize { $0.keySize = 0 }),
    RangeCase("key size", HCISetMinEncryptionKeySize { $0.keySize = 17 }),
    RangeCase("filter", HCISetEventFilter { $0.type.rawValue = 3 }),
    RangeCase("condition", filter(1, [3])),
    RangeCase("condition too short", filter(1, [2, 1, 2, 3, 4, 5])),
    RangeCase("condition too long", filter(1, [0, 0])),
    RangeCase("no acceptance", filter(2, [0])),
    RangeCase("acceptance", filter(2, [0, 4])),
    RangeCase("nothing wrong", filter(2, [1, 0, 0, 0, 0, 0, 0, 1]), .success),
    RangeCase("stranger", HCISwitchRole { $0.address = peer }, .unknownConnectionIdentifier),
    RangeCase("no page", HCIReadLocalExtendedFeatures { $0.page = 3 }),
  ]

  private static func filter(_ type: UInt8, _ condition: [UInt8]) -> HCISetEventFilter {
    HCISetEventFilter {
      $0.type.rawValue = type
      $0.condition = condition
    }
  }

  @Test("of commands without a link", arguments: rows)
  func ranges(_ row: RangeCase) throws { try check(row, isConnected: false) }

  private static func sniff(_ change: (inout HCISniffMode) -> Void) -> HCISniffMode {
    var command = HCISniffMode()
    command.connectionHandle = link
    change(&command)
    return command
  }

  static let linkRows: [RangeCase] = [
    RangeCase("nothing wrong", sniff { _ in }, .success),
    RangeCase("interval", sniff { $0.minimumInterval.rawValue = 0 }),
    RangeCase("odd interval", sniff { $0.maximumInterval.rawValue = 801 }),
    RangeCase("minimum above maximum", sniff { $0.minimumInterval.rawValue = 802 }),
    RangeCase("attempt", sniff { $0.attempt = 0 }),
    RangeCase("attempt", sniff { $0.attempt = 0x8000 }),
    RangeCase("timeout", sniff { $0.timeout = 0x8000 }),
    RangeCase(
      "role",
      HCISwitchRole {
        $0.address = peer
        $0.role.rawValue = 2
      }),
    RangeCase("awake", HCIExitSniffMode { $0.connectionHandle = link }, .commandDisallowed),
    RangeCase(
      "reason",
      HCIDisconnect {
        $0.connectionHandle = link
        $0.reason = .connectionTimeout
      }),
    RangeCase(
      "hold",
      HCIWriteLinkPolicySettings {
        $0.connectionHandle = link
        $0.settings = .hold
      }, .unsupportedFeatureOrParameterValue),
    RangeCase(
      "type",
      HCIEnhancedFlush {
        $0.connectionHandle = link
        $0.packetType = 1
      }),
    RangeCase(
      "timeout",
      HCIWriteAutomaticFlushTimeout {
        $0.connectionHandle = link
        $0.timeout.rawValue = 0x0800
      }),
    RangeCase("latency", HCISniffSubrating { $0.connectionHandle = link }),
    RangeCase("not encrypted", HCIRefreshEncryptionKey { $0.connectionHandle = link }, .commandDisallowed),
    RangeCase(
      "power",
      HCIReadTransmitPowerLevel {
        $0.connectionHandle = link
        $0.kind = 2
      }),
    RangeCase(
      "secure", HCIWriteSecureConnectionsHostSupport { $0.isEnabled = false }, .commandDisallowed),
    RangeCase("flow control", HCIWriteSynchronousFlowControlEnable { $0.isEnabled = true }, .commandDisallowed),
  ]

  @Test("of commands about a link", arguments: linkRows)
  func linkRanges(_ row: RangeCase) throws { try check(row, isConnected: true) }

  @Test("what is written is read, until a reset")
  func settings() throws {
    let host = Stage().add(.dual)
    func read() throws -> [[UInt8]] {
      let commands: [any HCICommand.Type] = [
        HCIReadScanEnable.self, HCIReadInquiryScanActivity.self, HCIReadPageScanActivity.self,
        HCIReadInquiryScanType.self, HCIReadPageScanType.self, HCIReadInquiryMode.self, HCIReadClassOfDevice.self,
        HCIReadLocalName.self, HCIReadExtendedInquiryResponse.self, HCIReadCurrentIACLAP.self, HCIReadPageTimeout.self,
        HCIReadConnectionAcceptTimeout.self, HCIReadAuthenticationEnable.self, HCIReadSimplePairingMode.self,
        HCIReadSecureConnectionsHostSupport.self, HCIReadLEHostSupport.self, HCIReadDefaultLinkPolicySettings.self,
        HCIReadVoiceSetting.self, HCIReadSynchronousFlowControlEnable.self,
        HCIReadDefaultErroneousDataReporting.self,
      ]
      return try commands.map { type in
        host.forget()
        host.send([1, UInt8(truncatingIfNeeded: type.opcode.rawValue), UInt8(type.opcode.rawValue >> 8), 0])
        return try host.last(HCICommandComplete.self).returnParameters
      }
    }
    let before = try read()
    #expect(
      before[0] == [0, 0] && before[1] == [0, 0x00, 0x10, 0x12, 0x00] && before[2] == [0, 0x00, 0x08, 0x12, 0x00])
    #expect(before[9] == [0, 1, 0x33, 0x8B, 0x9E])
    for octets in Self.writings { host.send(octets) }
    let after = try read()
    for (index, value) in after.enumerated() { #expect(value != before[index] && value[0] == 0, "\(index)") }
    #expect(after[9] == [0, 2, 0x33, 0x8B, 0x9E, 0x00, 0x8B, 0x9E])
    try host.status(HCIReset())
    #expect(try read() == before)
  }

  private static let writings: [[UInt8]] = [
    HCIWriteScanEnable { $0.scans = .page }.h4,
    HCIWriteInquiryScanActivity { $0.interval.rawValue = 0x0200 }.h4,
    HCIWritePageScanActivity { $0.window.rawValue = 0x0020 }.h4,
    HCIWriteInquiryScanType { $0.type = .interlaced }.h4, HCIWritePageScanType { $0.type = .interlaced }.h4,
    HCIWriteInquiryMode { $0.mode = .extended }.h4,
    HCIWriteClassOfDevice { $0.classOfDevice = ClassOfDevice(rawValue: 5) }.h4,
    HCIWriteLocalName { $0.localName[0] = 0x41 }.h4, HCIWriteExtendedInquiryResponse { $0.response[0] = 1 }.h4,
    // The third code is one too many.
    HCIWriteCurrentIACLAP { $0.accessCodes = [.general, .limited, .general] }.h4,
    HCIWritePageTimeout { $0.timeout.rawValue = 1 }.h4, HCIWriteConnectionAcceptTimeout { $0.timeout.rawValue = 1 }.h4,
    HCIWriteAuthenticationEnable { $0.isEnabled = true }.h4, HCIWriteSimplePairingMode { $0.isEnabled = true }.h4,
    HCIWriteSecureConnectionsHostSupport { $0.isEnabled = true }.h4, HCIWriteLEHostSupport { $0.leSupported = true }.h4,
    HCIWriteDefaultLinkPolicySettings { $0.settings = .sniff }.h4,
    HCIWriteVoiceSetting { $0.setting = VoiceSetting(rawValue: 3) }.h4,
    HCIWriteSynchronousFlowControlEnable { $0.isEnabled = true }.h4,
    HCIWriteDefaultErroneousDataReporting { $0.isEnabled = true }.h4,
  ]
}

@Suite("Impaired links of BR/EDR")
struct ClassicImpairmentTests {
  @Test("with loss, devices are still found, connected, paired and encrypted", arguments: UInt64(1)...4)
  func losses(seed: UInt64) throws {
    let stage = Stage(seed: seed)
    stage.air.setDefaultImpairment(PathImpairment(loss: .fraction(0.4)))
    let (first, second) = try stage.classicHosts()
    try first.begin(HCIInquiry { $0.length.rawValue = 0x30 })
    #expect(stage.run(until: .seconds(62)) { !first.all(HCIInquiryResult.self).isEmpty })
    try first.status(HCIWritePageTimeout { $0.timeout.rawValue = 0xFFFF })
    let address = try second.address
    try first.begin(HCICreateConnection { $0.address = address })
    #expect(stage.run(until: .seconds(41)) { !second.all(HCIConnectionRequest.self).isEmpty })
    let firstAddress = try first.address
    try second.begin(HCIAcceptConnectionRequest { $0.address = firstAddress })
    #expect(stage.run { !first.all(HCIConnectionComplete.self).isEmpty })
    #expect(first.all(HCIConnectionComplete.self).map(\.status) == [.success])
    stage.run(.seconds(60))
    #expect(first.all(HCIDisconnectionComplete.self).isEmpty && second.all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("a path that carries in one direction: the central loses the link first, then the peripheral")
  func oneDirection() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    let start = stage.air.now
    stage.air.setPacketLoss(from: pair.second.id, to: pair.first.id, fraction: 1)
    stage.run(.seconds(50))
    let ends = [pair.first, pair.second].map { $0.timed(HCIDisconnectionComplete.self) }
    #expect(ends.allSatisfy { $0.map(\.event.reason) == [.connectionTimeout] })
    #expect(ends[0].map(\.at) == [start + .seconds(20)])
    let last = try #require(ends[1].first?.at)
    #expect(last > start + .milliseconds(39_900) && last <= start + .seconds(40))
  }

  @Test("a gap that is shorter than the supervision timeout does no harm")
  func gap() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    stage.air.setReachable(pair.first.id, pair.second.id, false)
    pair.first.sendData(pair.atFirst.rawValue, [1, 2])
    stage.run(.seconds(19))
    #expect(pair.second.data.isEmpty)
    stage.air.setReachable(pair.first.id, pair.second.id, true)
    stage.run(.seconds(60))
    #expect(pair.second.data.map(\.octets) == [[1, 2]])
    #expect(pair.first.all(HCIDisconnectionComplete.self).isEmpty)
  }

  @Test("a link without a supervision timeout is never lost")
  func unsupervised() throws {
    let stage = Stage()
    let pair = try stage.classicPair()
    try pair.first.status(
      HCIWriteLinkSupervisionTimeout {
        $0.connectionHandle = pair.atFirst
        $0.timeout.rawValue = 0
      })
    stage.run(.seconds(1))
    stage.air.setReachable(pair.first.id, pair.second.id, false)
    stage.run(.seconds(100))
    for host in [pair.first, pair.second] { #expect(host.all(HCIDisconnectionComplete.self).isEmpty) }
  }

  @Test("a controller of LE alone has none of it")
  func leOnly() throws {
    let stage = Stage()
    let pair = try stage.connected()
    #expect(stage.air.classicControllers.isEmpty)
    for opcode in CommandTable.classicCommandOpcodes {
      pair.central.forget()
      pair.central.send([1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), 0])
      #expect(pair.central.statuses == [.unknownHCICommand], "\(opcode)")
    }
    #expect(
      try pair.central.call(HCIReadLocalSupportedFeatures()).features == [.brEDRNotSupported, .leSupportedController])
  }
}
