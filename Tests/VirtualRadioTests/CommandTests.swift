import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Commands")
struct CommandTests {
  private func host(_ configuration: ControllerConfiguration = .full) -> ScriptedHost { Stage().add(configuration) }

  @Test("a command that the controller does not know is recorded as the host's mistake")
  func unknown() throws {
    let host = host()
    for opcode in [CommandOpcode.readBufferSize, .writeLEHostSupport, .writeLocalName, .zephyrReadStaticAddresses] {
      host.send([0x01, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), 0])
      #expect(host.all(HCICommandStatus.self).last == HCICommandStatus(opcode, .unknownHCICommand, commandPackets: 1))
      #expect(host.stage.air.takeHostFaults(of: host.id) == [.unknownCommand(opcode)])
      #expect(host.stage.air.takeHostFaults(of: host.id).isEmpty)
    }
  }

  @Test("bring-up reads the values of the configuration")
  func bringUp() throws {
    let host = host(.zephyrExtended)
    try host.bringUp()
    let version = try host.call(HCIReadLocalVersionInformation())
    #expect(version.manufacturer == .zephyr)
    #expect(version.hciVersion == .v5_3)
    #expect(try host.call(HCIReadBDADDR()).address == .zero)
    #expect(try host.call(LEReadBufferSize()).aclDataPacketLength == 251)
    #expect(try host.call(LEReadBufferSize()).totalACLDataPackets == 7)
    #expect(try host.call(LEReadMaximumDataLength()).maximumTxOctets == 251)
    #expect(try host.call(LEReadFilterAcceptListSize()).size == 8)
    #expect(try host.call(LEReadNumberOfSupportedAdvertisingSets()).count == 3)
    #expect(try host.call(LEReadMaximumAdvertisingDataLength()).maximumLength == 191)
    #expect(try host.call(LEReadLocalSupportedFeatures()).features.contains(.extendedAdvertising))
    #expect(try host.call(HCIReadLocalSupportedFeatures()).features.contains(.brEDRNotSupported))
    #expect(try host.call(ZephyrReadBuildInformation()).text.last == 0)
    #expect(try host.call(LEReadSuggestedDefaultDataLength()).maximumTxOctets == 27)
    try host.status(
      LEWriteSuggestedDefaultDataLength {
        $0.maximumTxOctets = 251; $0.maximumTxTime = 2120
      })
    #expect(try host.call(LEReadSuggestedDefaultDataLength()).maximumTxOctets == 251)
    try host.status(HCIReset())
    #expect(try host.call(LEReadSuggestedDefaultDataLength()).maximumTxOctets == 27)
  }

  @Test("Zephyr's own command sets a public address, which a reset keeps")
  func zephyrAddress() throws {
    let host = host(.zephyrHCIUART)
    #expect(try host.status(ZephyrWriteBDADDR { $0.address = DeviceAddress(bits: 0x1234) }) == .success)
    try host.status(HCIReset())
    #expect(try host.call(HCIReadBDADDR()).address == DeviceAddress(bits: 0x1234))
  }

  @Test("NimBLE announces itself after power on, the others do not")
  func boot() {
    #expect(host(.nimble).transcript == [0x04, 0x0E, 0x03, 0x01, 0x00, 0x00])
    for preset in [ControllerConfiguration.full, .zephyrHCIUART, .zephyrExtended] {
      #expect(host(preset).transcript.isEmpty)
    }
  }

  @Test("using one family of advertising and scanning commands disallows the other until the reset")
  func latch() throws {
    let legacy: [any HCICommand] = [
      LESetAdvertisingParameters(), LEReadAdvertisingPhysicalChannelTxPower(), LESetAdvertisingData(),
      LESetScanResponseData(), LESetAdvertisingEnable(), LESetScanParameters(), LESetScanEnable(),
      LECreateConnection(),
    ]
    let extended: [any HCICommand] = [
      LESetAdvertisingSetRandomAddress(), LESetExtendedAdvertisingParameters(), LESetExtendedAdvertisingData(),
      LESetExtendedScanResponseData(), LESetExtendedAdvertisingEnable(), LEReadMaximumAdvertisingDataLength(),
      LEReadNumberOfSupportedAdvertisingSets(), LERemoveAdvertisingSet(), LEClearAdvertisingSets(),
      LESetExtendedScanParameters(), LESetExtendedScanEnable(), LEExtendedCreateConnection(),
    ]
    for (first, second) in [(legacy, extended), (extended, legacy)] {
      for opener in first {
        let host = host()
        host.send(opener.h4)
        host.forget()
        for refused in second {
          host.send(refused.h4)
          #expect(host.statuses == [.commandDisallowed], "\(refused) after \(opener)")
          host.forget()
        }
        try host.status(HCIReset())
        host.forget()
        host.send(second[0].h4)
        #expect(host.statuses != [.commandDisallowed])
      }
    }
  }

  @Test("advertising with a random address needs one, which must not change meanwhile")
  func randomAddress() throws {
    let host = host()
    try host.status(LESetAdvertisingParameters { $0.ownAddressType = .random })
    #expect(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .invalidHCICommandParameters)
    #expect(try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 1) }) == .success)
    #expect(try host.status(LESetAdvertisingEnable { $0.enable = true }) == .success)
    #expect(try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 2) }) == .commandDisallowed)
    #expect(try host.status(LESetAdvertisingEnable()) == .success)
    #expect(try host.status(LESetRandomAddress { $0.address = .randomStatic(from: 2) }) == .success)
  }

  @Test("LE Rand depends on the seed and on the controller")
  func random() throws {
    func numbers(seed: UInt64) throws -> [UInt64] {
      let stage = Stage(seed: seed)
      let hosts = [stage.add(), stage.add()]
      return try hosts.flatMap { [try $0.call(LERand()).random, try $0.call(LERand()).random] }
    }
    #expect(try numbers(seed: 4) == numbers(seed: 4))
    #expect(Set(try numbers(seed: 4) + numbers(seed: 5)).count == 8)
  }

  @Test("the filter accept list has the configured size, and cannot be changed while it is in use")
  func filterAcceptList() throws {
    let host = host(.nimble.conforming)
    for number in 0..<8 {
      #expect(
        try host.status(LEAddDeviceToFilterAcceptList { $0.address = DeviceAddress(bits: UInt64(number + 1)) })
          == .success)
    }
    #expect(try host.status(LEAddDeviceToFilterAcceptList { $0.address = DeviceAddress(bits: 1) }) == .success)
    let another = LEAddDeviceToFilterAcceptList { $0.address = DeviceAddress(bits: 9) }
    #expect(try host.status(another) == .memoryCapacityExceeded)
    #expect(try host.status(LERemoveDeviceFromFilterAcceptList { $0.address = DeviceAddress(bits: 3) }) == .success)
    #expect(try host.status(another) == .success)
    try host.status(LESetScanParameters { $0.filterPolicy = .listed })
    try host.status(LESetScanEnable { $0.enable = true })
    #expect(try host.status(LEClearFilterAcceptList()) == .commandDisallowed)
    try host.status(LESetScanEnable())
    #expect(try host.status(LEClearFilterAcceptList()) == .success)
  }

  @Test("octets that are no packet are ignored and recorded")
  func strayOctets() throws {
    let host = host()
    host.send([0x00, 0x77, 0xFF] + HCIReset().h4)
    #expect(host.statuses == [.success])
    #expect(host.stage.air.takeHostFaults(of: host.id).contains(.strayOctets(3)))
    host.send([0x03, 0x00, 0x00, 0x00])
    #expect(host.stage.air.takeHostFaults(of: host.id) == [.unexpectedPacketType(.sync)])
  }

  @Test("commands may arrive in any chunks")
  func chunks() {
    let host = host()
    let octets = HCIReset().h4 + LERand().h4 + LEReadBufferSize().h4
    for octet in octets { host.send([octet]) }
    #expect(host.all(HCICommandComplete.self).map(\.opcode) == [.reset, .leRand, .leReadBufferSize])
  }
}

enum Presets {
  static let all = ControllerConfiguration.presets.map(\.configuration.conforming)
}

extension ScriptedHost {
  /// The statuses of all answers so far, without announcements, which answer nothing.
  var statuses: [ErrorCode] {
    events.compactMap { event in
      switch event.code {
      case .commandComplete:
        (try? HCICommandComplete(decoding: event.parameters))?.returnParameters.first.map { ErrorCode(rawValue: $0) }
      case .commandStatus: (try? HCICommandStatus(decoding: event.parameters))?.status
      default: nil
      }
    }
  }
}
