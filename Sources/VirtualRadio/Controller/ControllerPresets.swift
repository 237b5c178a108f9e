import BLECore
import BLEHCI

extension ControllerConfiguration {
  /// Everything that virtual controllers can do, generously sized.
  public static let full: ControllerConfiguration = {
    var configuration = ControllerConfiguration()
    configuration.features = [
      .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange,
      .ping, .dataPacketLengthExtension, .phy2M, .phyCoded, .extendedAdvertising, .channelSelectionAlgorithm2,
      .privacy, .extendedScanningFilterPolicies,
    ]
    configuration.commands = CommandTable.standardCommands
    configuration.aclPacketCount = 16
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 16
    configuration.maximumAdvertisingDataLength = 1650
    configuration.filterAcceptListSize = 16
    configuration.resolvingListSize = 16
    return configuration
  }()

  /// As Zephyr's HCI over UART sample on an nRF board: legacy advertising, small buffers, no public address.
  public static let zephyrHCIUART: ControllerConfiguration = {
    var configuration = zephyr
    configuration.commands.subtract(CommandTable.extendedAdvertisingCommands)
    configuration.aclDataLength = 27
    configuration.maximumDataOctets = 27
    configuration.maximumDataTime = 328
    return configuration
  }()

  /// As Zephyr's HCI over UART sample with extended advertising and long data packets built in.
  public static let zephyrExtended: ControllerConfiguration = {
    var configuration = zephyr
    configuration.features.formUnion([.extendedAdvertising, .phyCoded])
    configuration.aclDataLength = 251
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 3
    configuration.maximumAdvertisingDataLength = 191
    return configuration
  }()

  /// As Apache NimBLE's controller: large buffers, and an announcement after power on.
  public static let nimble: ControllerConfiguration = {
    var configuration = full
    configuration.manufacturer = .nimble
    configuration.version = .v5_3
    configuration.features.remove(.extendedScanningFilterPolicies)
    configuration.commands.subtract([.leReadBufferSizeV2, .hostBufferSize])
    configuration.aclPacketCount = 10
    configuration.advertisingSetCount = 6
    configuration.filterAcceptListSize = 8
    configuration.resolvingListSize = 4
    configuration.firstConnectionHandle = 1
    configuration.announcesBoot = true
    return configuration
  }()

  private static let zephyr: ControllerConfiguration = {
    var configuration = ControllerConfiguration()
    configuration.version = .v5_3
    configuration.manufacturer = .zephyr
    configuration.features = [
      .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange,
      .ping, .dataPacketLengthExtension, .phy2M, .channelSelectionAlgorithm2,
    ]
    configuration.commands = CommandTable.standardCommands.union(CommandTable.zephyrCommands)
    configuration.commands.subtract([.leReadBufferSizeV2])
    configuration.aclPacketCount = 7
    configuration.maximumDataTime = 2120
    configuration.maximumConnections = 4
    configuration.buildInformation = "Zephyr OS v3.3 (virtual)"
    return configuration
  }()
}
