import BLECore
import BLEHCI

// The commands that a controller has, by its features and version (Core 5.4 Vol 4 Part E 3.1).
extension CommandTable {
  /// Commands that require a link-layer feature: any one of those named.
  static let featureNeeds: [(features: LEFeatures, commands: Set<CommandOpcode>)] = [
    (
      .encryption,
      [
        .leEncrypt, .leEnableEncryption, .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply,
        .leReadLocalP256PublicKey, .leGenerateDHKey, .leGenerateDHKeyV2,
      ]
    ),
    (
      .connectionParametersRequest,
      [.leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply]
    ),
    (.ping, [.readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout]),
    (
      .dataPacketLengthExtension,
      [
        .leSetDataLength, .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength,
        .leReadMaximumDataLength,
      ]
    ),
    (.privacy, privacyCommandOpcodes),
    ([.phy2M, .phyCoded], [.leReadPHY, .leSetDefaultPHY, .leSetPHY]),
    (.extendedAdvertising, extendedAdvertisingCommands),
  ]

  /// Commands added after version 4.0, by the version that added them.
  static let firstVersions: [(version: CoreVersion, commands: Set<CommandOpcode>)] = [
    (
      .v4_1,
      [
        .leRemoteConnectionParameterRequestReply, .leRemoteConnectionParameterRequestNegativeReply,
        .readAuthenticatedPayloadTimeout, .writeAuthenticatedPayloadTimeout,
      ]
    ),
    (
      .v4_2,
      [
        .leSetDataLength, .leReadSuggestedDefaultDataLength, .leWriteSuggestedDefaultDataLength,
        .leReadMaximumDataLength, .leReadLocalP256PublicKey, .leGenerateDHKey,
      ]
    ),
    (.v4_2, privacyCommandOpcodes.subtracting([.leSetPrivacyMode])),
    (
      .v5_0,
      [
        .leReadPHY, .leSetDefaultPHY, .leSetPHY, .leReadTransmitPower, .leReadRFPathCompensation,
        .leWriteRFPathCompensation, .leSetPrivacyMode,
      ]
    ),
    (.v5_0, extendedAdvertisingCommands),
    (.v5_1, [.leGenerateDHKeyV2]),
    (.v5_2, [.leReadBufferSizeV2]),
  ]

  private static let neededFeatures: [CommandOpcode: LEFeatures] = Dictionary(
    featureNeeds.flatMap { need in need.commands.map { ($0, need.features) } },
    uniquingKeysWith: { first, _ in first })

  /// Returns whether a link layer with these features can have this command.
  static func allows(_ opcode: CommandOpcode, with features: LEFeatures) -> Bool {
    neededFeatures[opcode].map { !$0.isDisjoint(with: features) } ?? true
  }

  /// Returns all commands that a controller of this version can have, except vendor commands.
  static func commands(of version: CoreVersion) -> Set<CommandOpcode> {
    let younger = firstVersions.filter { $0.version > version }.reduce(into: Set()) { $0.formUnion($1.commands) }
    return standardCommands.subtracting(younger)
  }
}
