import BLEHCI

/// What becomes of a host's command where several share the controller.
enum CommandSharing {
  /// It goes to the controller as it is: it asks for something that is the same for all.
  case passed
  /// It changes the whole controller, and goes there with what the other hosts want.
  case merged
  /// It is about a connection, which has to be the host's. Its handle is the first parameter.
  case ofConnection
  /// It is about an advertising set, whose handle is the first parameter and another one in the controller.
  case ofSet
  /// It starts or stops advertising sets.
  case ofSets
  /// It succeeds, and the controller does not hear of it.
  case answered
  /// The controller that is shared does not know it.
  case unknown
}

extension CommandOpcode {
  /// What becomes of the command where several hosts share the controller. What is not listed would act on all of them.
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
    // Advertising sets have addresses of their own (Core 5.4 Vol 4 Part E 7.8.52), and nobody scans or initiates.
    case .leSetRandomAddress: .answered
    // Among them flow control towards the host (4.2): its buffers are counted for all hosts together.
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
