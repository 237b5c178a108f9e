import BLEHCI

/// How a host's command is handled when several hosts share the controller.
enum CommandSharing {
  /// It is sent unchanged, because its effect is the same for all hosts.
  case passed
  /// It changes the whole controller, and is sent merged with the settings of the other hosts.
  case merged
  /// It is about a connection, which must belong to the host. The handle is the first parameter.
  case ofConnection
  /// It is about an advertising set. The handle is the first parameter, and differs between host and controller.
  case ofSet
  /// It starts or stops advertising sets.
  case ofSets
  /// It is answered with success here, and not sent to the controller.
  case answered
  /// It is refused as unknown.
  case unknown
}

extension CommandOpcode {
  /// How the command is handled when several hosts share the controller. Commands that are not listed would affect all of them.
  var sharing: CommandSharing {
    switch self {
    case .readLocalVersionInformation, .readLocalSupportedCommands, .readLocalSupportedFeatures, .readBufferSize,
      .readBDADDR, .writeLEHostSupport, .readLEHostSupport, .leReadBufferSize, .leReadBufferSizeV2,
      .leReadLocalSupportedFeatures, .leReadSupportedStates, .leReadTransmitPower, .leReadMaximumDataLength,
      .leReadSuggestedDefaultDataLength, .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets,
      .leRand, .leEncrypt:
      .passed
    case .setEventMask, .setEventMaskPage2, .leSetEventMask, .leWriteSuggestedDefaultDataLength, .leSetDefaultPHY:
      .merged
    case .disconnect, .readRemoteVersionInformation, .readRSSI, .readTransmitPowerLevel, .leConnectionUpdate,
      .leReadChannelMap, .leReadRemoteFeatures, .leRemoteConnectionParameterRequestReply,
      .leRemoteConnectionParameterRequestNegativeReply, .leSetDataLength, .leReadPHY, .leSetPHY,
      .leLongTermKeyRequestReply, .leLongTermKeyRequestNegativeReply, .readAuthenticatedPayloadTimeout,
      .writeAuthenticatedPayloadTimeout:
      .ofConnection
    case .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
      .leSetExtendedScanResponseData, .leRemoveAdvertisingSet:
      .ofSet
    case .leSetExtendedAdvertisingEnable: .ofSets
    // Advertising sets have their own addresses (Core 5.4 Vol 4 Part E 7.8.52), and no host scans or initiates.
    case .leSetRandomAddress: .answered
    // These include flow control towards the host (4.2), because its buffers are counted for all hosts together.
    default: .unknown
    }
  }

  /// The commands without which a controller cannot be shared.
  static let neededForSharing: [CommandOpcode] = [
    .leSetAdvertisingSetRandomAddress, .leSetExtendedAdvertisingParameters, .leSetExtendedAdvertisingData,
    .leSetExtendedAdvertisingEnable, .leReadMaximumAdvertisingDataLength, .leReadNumberOfSupportedAdvertisingSets,
    .leRemoveAdvertisingSet,
  ]
}
