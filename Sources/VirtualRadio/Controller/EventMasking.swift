import BLECore
import BLEHCI

extension VirtualController {
  /// Returns whether the host has unmasked an event (Core 5.4 Vol 4 Part E 7.3.1, 7.3.69, 7.8.1). Events of flow control cannot be masked.
  func isWanted(_ code: EventCode) -> Bool {
    switch code {
    case .disconnectionComplete: return state.eventMask.contains(.disconnectionComplete)
    case .readRemoteVersionInformationComplete:
      return state.eventMask.contains(.readRemoteVersionInformationComplete)
    case .encryptionChange: return state.eventMask.contains(.encryptionChange)
    case .encryptionKeyRefreshComplete: return state.eventMask.contains(.encryptionKeyRefreshComplete)
    case .authenticatedPayloadTimeoutExpired:
      return state.eventMaskPage2.contains(.authenticatedPayloadTimeoutExpired)
    case .encryptionChangeV2: return state.eventMaskPage2.contains(.encryptionChangeV2)
    case .hardwareError: return state.eventMask.contains(.hardwareError)
    case .dataBufferOverflow: return state.eventMask.contains(.dataBufferOverflow)
    default: return classic == nil || Self.classicMasks[code].map(state.eventMask.contains) ?? true
    }
  }

  private static let classicMasks: [EventCode: EventMask] = [
    .inquiryComplete: .inquiryComplete, .inquiryResult: .inquiryResult, .connectionComplete: .connectionComplete,
    .connectionRequest: .connectionRequest, .authenticationComplete: .authenticationComplete,
    .remoteNameRequestComplete: .remoteNameRequestComplete,
    .changeConnectionLinkKeyComplete: .changeConnectionLinkKeyComplete,
    .readRemoteSupportedFeaturesComplete: .readRemoteSupportedFeaturesComplete, .flushOccurred: .flushOccurred,
    .roleChange: .roleChange, .modeChange: .modeChange, .pinCodeRequest: .pinCodeRequest,
    .linkKeyRequest: .linkKeyRequest, .linkKeyNotification: .linkKeyNotification, .maxSlotsChange: .maxSlotsChange,
    .readClockOffsetComplete: .readClockOffsetComplete, .connectionPacketTypeChanged: .connectionPacketTypeChanged,
    .inquiryResultWithRSSI: .inquiryResultWithRSSI,
    .readRemoteExtendedFeaturesComplete: .readRemoteExtendedFeaturesComplete, .sniffSubrating: .sniffSubrating,
    .extendedInquiryResult: .extendedInquiryResult, .ioCapabilityRequest: .ioCapabilityRequest,
    .ioCapabilityResponse: .ioCapabilityResponse, .userConfirmationRequest: .userConfirmationRequest,
    .userPasskeyRequest: .userPasskeyRequest, .remoteOOBDataRequest: .remoteOOBDataRequest,
    .simplePairingComplete: .simplePairingComplete,
    .linkSupervisionTimeoutChanged: .linkSupervisionTimeoutChanged, .enhancedFlushComplete: .enhancedFlushComplete,
    .userPasskeyNotification: .userPasskeyNotification, .keypressNotification: .keypressNotification,
    .remoteHostSupportedFeaturesNotification: .remoteHostSupportedFeaturesNotification,
  ]

  func isWanted(subevent: LESubevent) -> Bool {
    guard state.eventMask.contains(.leMeta), subevent.rawValue <= configuration.lastSubevent.rawValue,
      let bit = LEEventMask(subevent)
    else { return false }
    return state.leEventMask.contains(bit)
  }
}
