/// The events that the controller sends (Core 5.4 Vol 4 Part E 7.3.1).
package struct EventMask: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let inquiryComplete = EventMask(rawValue: 1 << 0)
  package static let inquiryResult = EventMask(rawValue: 1 << 1)
  package static let connectionComplete = EventMask(rawValue: 1 << 2)
  package static let connectionRequest = EventMask(rawValue: 1 << 3)
  package static let disconnectionComplete = EventMask(rawValue: 1 << 4)
  package static let authenticationComplete = EventMask(rawValue: 1 << 5)
  package static let remoteNameRequestComplete = EventMask(rawValue: 1 << 6)
  package static let encryptionChange = EventMask(rawValue: 1 << 7)
  package static let changeConnectionLinkKeyComplete = EventMask(rawValue: 1 << 8)
  package static let linkKeyTypeChanged = EventMask(rawValue: 1 << 9)
  package static let readRemoteSupportedFeaturesComplete = EventMask(rawValue: 1 << 10)
  package static let readRemoteVersionInformationComplete = EventMask(rawValue: 1 << 11)
  package static let qosSetupComplete = EventMask(rawValue: 1 << 12)
  package static let hardwareError = EventMask(rawValue: 1 << 15)
  package static let flushOccurred = EventMask(rawValue: 1 << 16)
  package static let roleChange = EventMask(rawValue: 1 << 17)
  package static let modeChange = EventMask(rawValue: 1 << 19)
  package static let returnLinkKeys = EventMask(rawValue: 1 << 20)
  package static let pinCodeRequest = EventMask(rawValue: 1 << 21)
  package static let linkKeyRequest = EventMask(rawValue: 1 << 22)
  package static let linkKeyNotification = EventMask(rawValue: 1 << 23)
  package static let loopbackCommand = EventMask(rawValue: 1 << 24)
  package static let dataBufferOverflow = EventMask(rawValue: 1 << 25)
  package static let maxSlotsChange = EventMask(rawValue: 1 << 26)
  package static let readClockOffsetComplete = EventMask(rawValue: 1 << 27)
  package static let connectionPacketTypeChanged = EventMask(rawValue: 1 << 28)
  package static let qosViolation = EventMask(rawValue: 1 << 29)
  package static let pageScanRepetitionModeChange = EventMask(rawValue: 1 << 31)
  package static let flowSpecificationComplete = EventMask(rawValue: 1 << 32)
  package static let inquiryResultWithRSSI = EventMask(rawValue: 1 << 33)
  package static let readRemoteExtendedFeaturesComplete = EventMask(rawValue: 1 << 34)
  package static let synchronousConnectionComplete = EventMask(rawValue: 1 << 43)
  package static let synchronousConnectionChanged = EventMask(rawValue: 1 << 44)
  package static let sniffSubrating = EventMask(rawValue: 1 << 45)
  package static let extendedInquiryResult = EventMask(rawValue: 1 << 46)
  package static let encryptionKeyRefreshComplete = EventMask(rawValue: 1 << 47)
  package static let ioCapabilityRequest = EventMask(rawValue: 1 << 48)
  package static let ioCapabilityResponse = EventMask(rawValue: 1 << 49)
  package static let userConfirmationRequest = EventMask(rawValue: 1 << 50)
  package static let userPasskeyRequest = EventMask(rawValue: 1 << 51)
  package static let remoteOOBDataRequest = EventMask(rawValue: 1 << 52)
  package static let simplePairingComplete = EventMask(rawValue: 1 << 53)
  package static let linkSupervisionTimeoutChanged = EventMask(rawValue: 1 << 55)
  package static let enhancedFlushComplete = EventMask(rawValue: 1 << 56)
  package static let userPasskeyNotification = EventMask(rawValue: 1 << 58)
  package static let keypressNotification = EventMask(rawValue: 1 << 59)
  package static let remoteHostSupportedFeaturesNotification = EventMask(rawValue: 1 << 60)
  package static let leMeta = EventMask(rawValue: 1 << 61)

  /// The events of BR/EDR that a device needs that is found, connected to and paired with.
  package static let classic: EventMask = [
    .connectionComplete, .connectionRequest, .authenticationComplete, .roleChange, .modeChange, .pinCodeRequest,
    .linkKeyRequest, .linkKeyNotification, .ioCapabilityRequest, .ioCapabilityResponse, .userConfirmationRequest,
    .userPasskeyRequest, .remoteOOBDataRequest, .simplePairingComplete, .userPasskeyNotification, .keypressNotification,
  ]

  /// The events of BR/EDR that a device needs besides, to find others.
  package static let inquiry: EventMask = [
    .inquiryComplete, .inquiryResult, .inquiryResultWithRSSI, .extendedInquiryResult, .remoteNameRequestComplete,
  ]

  /// The value after a reset: no LE events.
  package static let specificationDefault = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
}

/// The events of the second page that the controller sends (Core 5.4 Vol 4 Part E 7.3.69); none after a reset.
package struct EventMaskPage2: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let authenticatedPayloadTimeoutExpired = EventMaskPage2(rawValue: 1 << 23)
  package static let encryptionChangeV2 = EventMaskPage2(rawValue: 1 << 25)
}

/// The LE Meta events that the controller sends (Core 5.4 Vol 4 Part E 7.8.1).
package struct LEEventMask: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let connectionComplete = LEEventMask(rawValue: 1 << 0)
  package static let advertisingReport = LEEventMask(rawValue: 1 << 1)
  package static let connectionUpdateComplete = LEEventMask(rawValue: 1 << 2)
  package static let readRemoteFeaturesComplete = LEEventMask(rawValue: 1 << 3)
  package static let longTermKeyRequest = LEEventMask(rawValue: 1 << 4)
  package static let remoteConnectionParameterRequest = LEEventMask(rawValue: 1 << 5)
  package static let dataLengthChange = LEEventMask(rawValue: 1 << 6)
  package static let readLocalP256PublicKeyComplete = LEEventMask(rawValue: 1 << 7)
  package static let generateDHKeyComplete = LEEventMask(rawValue: 1 << 8)
  package static let enhancedConnectionComplete = LEEventMask(rawValue: 1 << 9)
  package static let directedAdvertisingReport = LEEventMask(rawValue: 1 << 10)
  package static let phyUpdateComplete = LEEventMask(rawValue: 1 << 11)
  package static let extendedAdvertisingReport = LEEventMask(rawValue: 1 << 12)
  package static let scanTimeout = LEEventMask(rawValue: 1 << 16)
  package static let advertisingSetTerminated = LEEventMask(rawValue: 1 << 17)
  package static let scanRequestReceived = LEEventMask(rawValue: 1 << 18)
  package static let channelSelectionAlgorithm = LEEventMask(rawValue: 1 << 19)

  /// The value after a reset: the first five.
  package static let specificationDefault = LEEventMask(rawValue: 0x1F)

  /// Creates the bit of this LE Meta event; nil for numbers without a bit.
  @inlinable
  package init?(_ subevent: LESubevent) {
    guard (1...64).contains(subevent.rawValue) else { return nil }
    self.init(rawValue: 1 << UInt64(subevent.rawValue - 1))
  }
}
