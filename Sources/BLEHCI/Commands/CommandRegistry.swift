/// All commands with a layout, for the decoder and for tests that cover all commands.
package enum CommandRegistry {
  /// The types, in the order of the files.
  package static let all: [any HCICommand.Type] = common + classic

  private static let common: [any HCICommand.Type] = [
    HCIDisconnect.self, HCIReadRemoteVersionInformation.self,
    HCISetEventMask.self, HCIReset.self, HCIWriteLocalName.self, HCIReadLocalName.self,
    HCIReadTransmitPowerLevel.self, HCISetControllerToHostFlowControl.self, HCIHostBufferSize.self,
    HCIHostNumberOfCompletedPackets.self, HCISetEventMaskPage2.self, HCIReadLEHostSupport.self,
    HCIWriteLEHostSupport.self, HCIReadAuthenticatedPayloadTimeout.self, HCIWriteAuthenticatedPayloadTimeout.self,
    HCIReadLocalVersionInformation.self, HCIReadLocalSupportedCommands.self, HCIReadLocalSupportedFeatures.self,
    HCIReadBufferSize.self, HCIReadBDADDR.self, HCIReadRSSI.self,
    LESetEventMask.self, LEReadBufferSize.self, LEReadBufferSizeV2.self, LEReadLocalSupportedFeatures.self,
    LESetRandomAddress.self, LEEncrypt.self, LERand.self, LEReadSupportedStates.self, LEReadTransmitPower.self,
    LEReadRFPathCompensation.self, LEWriteRFPathCompensation.self,
    LESetAdvertisingParameters.self, LEReadAdvertisingPhysicalChannelTxPower.self, LESetAdvertisingData.self,
    LESetScanResponseData.self, LESetAdvertisingEnable.self,
    LESetAdvertisingSetRandomAddress.self, LESetExtendedAdvertisingParameters.self,
    LESetExtendedAdvertisingData.self, LESetExtendedScanResponseData.self, LESetExtendedAdvertisingEnable.self,
    LEReadMaximumAdvertisingDataLength.self, LEReadNumberOfSupportedAdvertisingSets.self,
    LERemoveAdvertisingSet.self, LEClearAdvertisingSets.self,
    LESetScanParameters.self, LESetScanEnable.self, LESetExtendedScanParameters.self, LESetExtendedScanEnable.self,
    LECreateConnection.self, LECreateConnectionCancel.self, LEReadFilterAcceptListSize.self,
    LEClearFilterAcceptList.self, LEAddDeviceToFilterAcceptList.self, LERemoveDeviceFromFilterAcceptList.self,
    LEConnectionUpdate.self, LESetHostChannelClassification.self, LEReadChannelMap.self, LEReadRemoteFeatures.self,
    LERemoteConnectionParameterRequestReply.self, LERemoteConnectionParameterRequestNegativeReply.self,
    LEExtendedCreateConnection.self,
    LESetDataLength.self, LEReadSuggestedDefaultDataLength.self, LEWriteSuggestedDefaultDataLength.self,
    LEReadMaximumDataLength.self, LEReadPHY.self, LESetDefaultPHY.self, LESetPHY.self,
    LEEnableEncryption.self, LELongTermKeyRequestReply.self, LELongTermKeyRequestNegativeReply.self,
    LEReadLocalP256PublicKey.self, LEGenerateDHKey.self, LEGenerateDHKeyV2.self,
    LEAddDeviceToResolvingList.self, LERemoveDeviceFromResolvingList.self, LEClearResolvingList.self,
    LEReadResolvingListSize.self, LEReadPeerResolvableAddress.self, LEReadLocalResolvableAddress.self,
    LESetAddressResolutionEnable.self, LESetResolvablePrivateAddressTimeout.self, LESetPrivacyMode.self,
    ZephyrReadVersionInformation.self, ZephyrReadSupportedCommands.self, ZephyrWriteBDADDR.self,
    ZephyrReadBuildInformation.self,
    ZephyrReadStaticAddresses.self, ZephyrWriteTxPowerLevel.self, ZephyrReadTxPowerLevel.self,
  ]

  /// Returns the type for this opcode.
  package static func type(for opcode: CommandOpcode) -> (any HCICommand.Type)? { byOpcode[opcode] }

  private static let byOpcode = Dictionary(
    all.map { ($0.opcode, $0) }, uniquingKeysWith: { first, _ in first })
}
