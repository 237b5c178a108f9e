import BLECore
import BLEHCI

extension ControllerConfiguration {
  /// The presets by name.
  public static let presets: [(name: String, configuration: ControllerConfiguration)] = [
    full, largePackets, zephyrHCIUART, zephyrExtended, nimble, rootcanal, v4_0, v4_2, v5_0, dual,
  ].map { ($0.name, $0) }

  /// Returns the preset with this name; nil if there is none.
  public static func named(_ name: String) -> ControllerConfiguration? {
    presets.first { $0.name == name }?.configuration
  }

  /// Everything that virtual controllers can do, with generous limits.
  public static let full: ControllerConfiguration = {
    var configuration = ControllerConfiguration(
      named: "full", version: .v5_4, features: LEFeatures.of5_0.union([.privacy, .extendedScanningFilterPolicies]))
    configuration.aclPacketCount = 16
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 16
    configuration.maximumAdvertisingDataLength = 1650
    configuration.filterAcceptListSize = 16
    configuration.resolvingListSize = 16
    return configuration
  }()

  /// Like `full`, with ACL packets of up to 2048 octets in both directions, so that a whole L2CAP PDU is one packet.
  public static let largePackets: ControllerConfiguration = {
    var configuration = full
    configuration.name = "large-packets"
    configuration.aclDataLength = 2048
    configuration.joinsData = true
    return configuration
  }()

  /// A modern adapter with BR/EDR and LE: Secure Connections, enhanced data rate, extended advertising.
  public static let dual: ControllerConfiguration = {
    var configuration = ControllerConfiguration(
      named: "dual", version: .v5_4, features: LEFeatures.of5_0.union([.privacy, .extendedScanningFilterPolicies]))
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 10
    configuration.maximumAdvertisingDataLength = 1650
    configuration.filterAcceptListSize = 16
    configuration.resolvingListSize = 16
    configuration.firstConnectionHandle = 1
    configuration.addClassic(.modern)
    return configuration
  }()

  /// Adds a BR/EDR side with all its commands.
  private mutating func addClassic(_ classic: ClassicConfiguration) {
    self.classic = classic
    commands.formUnion(CommandTable.classicCommandOpcodes)
  }

  private init(named name: String, version: CoreVersion, features: LEFeatures) {
    self.name = name
    self.version = version
    self.features = features
    commands = CommandTable.commands(of: version)
  }
}

// Presets that imitate real controllers.
extension ControllerConfiguration {
  /// Zephyr's HCI over UART sample on an nRF board: legacy advertising, small buffers, no public address.
  public static let zephyrHCIUART: ControllerConfiguration = {
    var configuration = zephyr("zephyr-hci-uart", [])
    configuration.aclDataLength = 27
    configuration.maximumDataOctets = 27
    configuration.maximumDataTime = 328
    return configuration
  }()

  /// Zephyr's HCI over UART sample built with extended advertising and long data packets.
  public static let zephyrExtended: ControllerConfiguration = {
    var configuration = zephyr("zephyr-extended", [.extendedAdvertising, .phyCoded])
    configuration.aclDataLength = 251
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 3
    configuration.maximumAdvertisingDataLength = 191
    configuration.maximumAdvertisingInterval = longestLegacyInterval
    configuration.deviations.formUnion(DeviationTable.zephyrExtended.deviations)
    // EVENT_OVERHEAD_START_US of a build with extended advertising and scanning, without LE Coded, as measured.
    configuration.eventOverhead = .microseconds(428)
    return configuration
  }()

  /// Creates a configuration without a limit on connection events: Zephyr's link layer reserves time for one packet each way, and continues
  /// while there is more data and nothing else needs the radio. The next connection event needs it early, and after full events a
  /// peripheral opens some of its windows late (`DriftCorrection`). It therefore misses nearly half of the events of 30 ms.
  private static func zephyr(_ name: String, _ features: LEFeatures) -> ControllerConfiguration {
    let usual = LEFeatures.of4_2.union([.phy2M, .channelSelectionAlgorithm2])
    var configuration = ControllerConfiguration(named: name, version: .v5_3, features: usual.union(features))
    configuration.manufacturer = .zephyr
    configuration.commands.formUnion(CommandTable.zephyrCommands)
    // Its hosts do key agreement themselves.
    configuration.commands.subtract([
      .leReadBufferSizeV2, .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2, .leReadRFPathCompensation,
      .leWriteRFPathCompensation,
    ])
    configuration.aclPacketCount = 7
    configuration.maximumDataTime = 2120
    configuration.maximumConnections = 16
    configuration.buildInformation = "Zephyr OS v3.3 (virtual)"
    configuration.deviations = DeviationTable.zephyr.deviations
    // Its fatal error handler halts it.
    configuration.afterAssertion = .halt
    configuration.commandBuffers = 10
    configuration.correctsDriftLate = true
    return configuration
  }

  /// Apache NimBLE's controller: large buffers, and an announcement after power on.
  public static let nimble: ControllerConfiguration = {
    var configuration = ControllerConfiguration(
      named: "nimble", version: .v5_3, features: LEFeatures.of5_0.union(.privacy))
    configuration.manufacturer = .nimble
    // Controller-to-host flow control is a build option (BLE_LL_CFG_FEAT_CTRL_TO_HOST_FLOW_CONTROL).
    configuration.commands.subtract([
      .leReadBufferSizeV2, .setControllerToHostFlowControl, .hostBufferSize, .hostNumberOfCompletedPackets,
      .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2,
    ])
    configuration.aclPacketCount = 10
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 6
    configuration.maximumAdvertisingDataLength = 1650
    configuration.resolvingListSize = 4
    configuration.firstConnectionHandle = 1
    configuration.announcesBoot = true
    configuration.maximumAdvertisingInterval = longestLegacyInterval
    configuration.deviations = DeviationTable.nimble.deviations
    return configuration
  }()

  /// RootCanal, Android's virtual controller. Its BR/EDR side has no synchronous links here.
  public static let rootcanal: ControllerConfiguration = {
    var configuration = ControllerConfiguration(
      named: "rootcanal", version: .v5_3,
      features: LEFeatures.of5_0.subtracting(.channelSelectionAlgorithm2)
        .union([.privacy, .extendedScanningFilterPolicies]))
    configuration.manufacturer = .google
    configuration.aclDataLength = 27
    configuration.aclPacketCount = 20
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 16
    configuration.maximumAdvertisingDataLength = 512
    configuration.filterAcceptListSize = 16
    configuration.resolvingListSize = 16
    configuration.deviations = DeviationTable.rootcanal.deviations
    configuration.addClassic(.rootcanal)
    // The mask includes these commands, but the process aborts because they are not implemented.
    configuration.fatalCommands = [
      .setControllerToHostFlowControl, .hostNumberOfCompletedPackets, .readAuthenticatedPayloadTimeout,
      .writeAuthenticatedPayloadTimeout, .leReadChannelMap, .leSetHostChannelClassification, .leGenerateDHKey,
      .leGenerateDHKeyV2, .leReadRFPathCompensation, .leWriteRFPathCompensation,
    ]
    configuration.afterAssertion = .halt
    return configuration
  }()

  /// 10.24 s, the legacy maximum. Extended sets may have longer intervals, but these controllers do not allow them.
  private static let longestLegacyInterval = AdvertisingInterval(rawValue: 0x4000)
}

// Generic controllers of a version of the Core Specification.
extension ControllerConfiguration {
  /// The first version with LE: data packets of 27 octets, and hardly more than encryption.
  public static let v4_0: ControllerConfiguration = {
    var configuration = ControllerConfiguration(named: "4.0", version: .v4_0, features: .encryption)
    configuration.aclDataLength = 27
    configuration.maximumDataOctets = 27
    configuration.maximumDataTime = 328
    return configuration
  }()

  /// Long data packets, privacy, and key agreement in the controller.
  public static let v4_2: ControllerConfiguration = {
    var configuration = ControllerConfiguration(
      named: "4.2", version: .v4_2, features: LEFeatures.of4_2.union([.privacy, .extendedScanningFilterPolicies]))
    configuration.resolvingListSize = 8
    return configuration
  }()

  /// Extended advertising, and three PHYs.
  public static let v5_0: ControllerConfiguration = {
    var configuration = ControllerConfiguration(
      named: "5.0", version: .v5_0, features: LEFeatures.of5_0.union([.privacy, .extendedScanningFilterPolicies]))
    configuration.maximumDataTime = 17040
    configuration.advertisingSetCount = 4
    configuration.maximumAdvertisingDataLength = 1650
    configuration.resolvingListSize = 8
    return configuration
  }()
}

extension LEFeatures {
  /// The features that nearly every link layer of version 4.2 has, all of which this radio supports.
  fileprivate static let of4_2: LEFeatures = [
    .encryption, .connectionParametersRequest, .extendedRejectIndication, .peripheralInitiatedFeaturesExchange, .ping,
    .dataPacketLengthExtension,
  ]

  /// With the features that version 5.0 added.
  fileprivate static let of5_0 = of4_2.union([.phy2M, .phyCoded, .extendedAdvertising, .channelSelectionAlgorithm2])
}
