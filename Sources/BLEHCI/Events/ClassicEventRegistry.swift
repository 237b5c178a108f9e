extension EventRegistry {
  /// The types of BR/EDR, in the order of the files.
  static let classic: [any HCIEvent.Type] = [
    HCIInquiryComplete.self, HCIInquiryResult.self, HCIInquiryResultWithRSSI.self, HCIExtendedInquiryResult.self,
    HCIRemoteNameRequestComplete.self, HCIPageScanRepetitionModeChange.self, HCIConnectionComplete.self,
    HCIConnectionRequest.self, HCISynchronousConnectionComplete.self, HCISynchronousConnectionChanged.self,
    HCIReadRemoteSupportedFeaturesComplete.self, HCIReadRemoteExtendedFeaturesComplete.self,
    HCIRemoteHostSupportedFeaturesNotification.self, HCIRoleChange.self, HCIModeChange.self, HCIMaxSlotsChange.self,
    HCIReadClockOffsetComplete.self, HCIConnectionPacketTypeChanged.self, HCIQoSSetupComplete.self,
    HCIFlushOccurred.self, HCIQoSViolation.self, HCISniffSubratingEvent.self, HCILinkSupervisionTimeoutChanged.self,
    HCIEnhancedFlushComplete.self, HCIAuthenticationComplete.self, HCIChangeConnectionLinkKeyComplete.self,
    HCILinkKeyTypeChanged.self, HCIReturnLinkKeys.self, HCIPINCodeRequest.self, HCILinkKeyRequest.self,
    HCILinkKeyNotification.self, HCIIOCapabilityRequest.self, HCIIOCapabilityResponse.self,
    HCIUserConfirmationRequest.self, HCIUserPasskeyRequest.self, HCIUserPasskeyNotification.self,
    HCIKeypressNotification.self, HCIRemoteOOBDataRequest.self, HCISimplePairingComplete.self,
  ]
}
