import BLECore
import BLEHCI
import Testing

@testable import VirtualRadio

@Suite("Presets")
struct PresetTests {
  @Test("each can be found by its name")
  func names() {
    #expect(
      ControllerConfiguration.presets.map(\.name) == [
        "full", "large-packets", "zephyr-hci-uart", "zephyr-extended", "nimble", "rootcanal", "4.0", "4.2", "5.0",
        "dual",
      ])
    for (name, configuration) in ControllerConfiguration.presets {
      #expect(configuration.name == name)
      #expect(ControllerConfiguration.named(name) == configuration)
    }
    #expect(ControllerConfiguration.named("6.0") == nil)
    #expect(ControllerConfiguration.named("") == nil)
  }

  @Test("a preset has a feature's commands only with the feature", arguments: CommandConformanceTests.presets)
  func features(name: String) throws {
    let configuration = try #require(ControllerConfiguration.named(name))
    let needs: [(CommandOpcode, LEFeatures)] = [
      (.leEnableEncryption, .encryption), (.leLongTermKeyRequestReply, .encryption), (.leEncrypt, .encryption),
      (.leGenerateDHKey, .encryption), (.leSetDataLength, .dataPacketLengthExtension),
      (.leSetPHY, [.phy2M, .phyCoded]), (.leReadPHY, [.phy2M, .phyCoded]),
      (.leSetExtendedAdvertisingEnable, .extendedAdvertising), (.leSetExtendedScanEnable, .extendedAdvertising),
      (.leExtendedCreateConnection, .extendedAdvertising), (.leAddDeviceToResolvingList, .privacy),
      (.leSetAddressResolutionEnable, .privacy), (.writeAuthenticatedPayloadTimeout, .ping),
      (.leRemoteConnectionParameterRequestReply, .connectionParametersRequest),
    ]
    for (opcode, features) in needs where configuration.knows(opcode) {
      #expect(!configuration.features.isDisjoint(with: features), "\(opcode)")
    }
    #expect(configuration.features.contains(.extendedAdvertising) == (configuration.advertisingSetCount > 0))
    #expect(configuration.features.contains(.privacy) == (configuration.resolvingListSize > 0))
    #expect(configuration.features.contains(.dataPacketLengthExtension) || configuration.maximumDataOctets == 27)
  }

  @Test("no preset has features newer than its version", arguments: CommandConformanceTests.presets)
  func versions(name: String) throws {
    let configuration = try #require(ControllerConfiguration.named(name))
    let first: [(LEFeatures, CoreVersion)] = [
      ([.connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange, .ping], .v4_1),
      ([.dataPacketLengthExtension, .privacy, .extendedScanningFilterPolicies], .v4_2),
      ([.phy2M, .phyCoded, .extendedAdvertising, .channelSelectionAlgorithm2], .v5_0),
    ]
    for (features, version) in first where configuration.version < version {
      #expect(configuration.features.isDisjoint(with: features))
    }
    for (version, commands) in CommandTable.firstVersions where configuration.version < version {
      #expect(configuration.commands.isDisjoint(with: commands))
    }
  }

  @Test("without a feature its commands are unknown", arguments: CommandTable.featureNeeds.indices)
  func withoutFeature(_ index: Int) throws {
    let (features, commands) = CommandTable.featureNeeds[index]
    var configuration = ControllerConfiguration.full
    configuration.features.subtract(features)
    let host = Stage().add(configuration)
    let mask = try host.call(HCIReadLocalSupportedCommands()).supportedCommands
    for opcode in commands {
      host.forget()
      host.send([1, UInt8(truncatingIfNeeded: opcode.rawValue), UInt8(opcode.rawValue >> 8), 0])
      #expect(host.statuses == [.unknownHCICommand], "\(opcode)")
      #expect(!mask.contains(opcode))
    }
  }

  @Test("a controller of version 4.0 does not send events of later versions")
  func oldEvents() throws {
    let stage = Stage()
    let central = stage.add(.v4_0)
    let peripheral = stage.add()
    for host in stage.hosts { try host.bringUp() }
    try peripheral.status(LESetAdvertisingEnable { $0.enable = true })
    try central.begin(LECreateConnection { $0.peerAddress = DeviceAddress(bits: 0x0012_3400_0002) })
    #expect(stage.run { !peripheral.connections.isEmpty })
    #expect(central.all(LEConnectionComplete.self).map(\.status) == [.success])
    #expect(central.connections.isEmpty)
    #expect(central.all(LEChannelSelectionAlgorithm.self).isEmpty)
  }

  @Test("every two presets can be linked, encrypted, and carry data", arguments: CommandConformanceTests.presets)
  func pairs(name: String) throws {
    let central = try #require(ControllerConfiguration.named(name))
    for (_, peripheral) in ControllerConfiguration.presets {
      let stage = Stage()
      let pair = try stage.connected(central: central, peripheral: peripheral)
      try pair.central.begin(LEEnableEncryption { $0.connectionHandle.rawValue = pair.atCentral })
      #expect(stage.run { !pair.peripheral.all(LELongTermKeyRequest.self).isEmpty })
      try pair.peripheral.status(LELongTermKeyRequestReply { $0.connectionHandle.rawValue = pair.atPeripheral })
      // Whole L2CAP PDUs, because some controllers join the fragments of a PDU.
      let toPeripheral: [UInt8] = [23, 0, 4, 0] + Array(repeating: 7, count: 23)
      let toCentral: [UInt8] = [23, 0, 4, 0] + Array(repeating: 8, count: 23)
      pair.central.sendData(pair.atCentral, toPeripheral)
      pair.peripheral.sendData(pair.atPeripheral, toCentral)
      stage.run(.seconds(1))
      #expect(stage.air.links.values.contains { $0.isEncrypted })
      #expect(pair.peripheral.data.flatMap(\.octets) == toPeripheral)
      #expect(pair.central.data.flatMap(\.octets) == toCentral)
    }
  }
}
