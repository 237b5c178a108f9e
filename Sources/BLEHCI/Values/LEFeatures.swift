// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

/// The features of a link layer (Core 5.4 Vol 6 Part B 4.6).
public struct LEFeatures: OptionSet, Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let encryption = LEFeatures(rawValue: 1 << 0)
  public static let connectionParametersRequest = LEFeatures(rawValue: 1 << 1)
  public static let extendedRejectIndication = LEFeatures(rawValue: 1 << 2)
  public static let peripheralInitiatedFeaturesExchange = LEFeatures(rawValue: 1 << 3)
  public static let ping = LEFeatures(rawValue: 1 << 4)
  public static let dataPacketLengthExtension = LEFeatures(rawValue: 1 << 5)
  public static let privacy = LEFeatures(rawValue: 1 << 6)
  public static let extendedScanningFilterPolicies = LEFeatures(rawValue: 1 << 7)
  public static let phy2M = LEFeatures(rawValue: 1 << 8)
  public static let stableModulationIndexTransmitter = LEFeatures(rawValue: 1 << 9)
  public static let stableModulationIndexReceiver = LEFeatures(rawValue: 1 << 10)
  public static let phyCoded = LEFeatures(rawValue: 1 << 11)
  public static let extendedAdvertising = LEFeatures(rawValue: 1 << 12)
  public static let periodicAdvertising = LEFeatures(rawValue: 1 << 13)
  public static let channelSelectionAlgorithm2 = LEFeatures(rawValue: 1 << 14)
  public static let powerClass1 = LEFeatures(rawValue: 1 << 15)
  public static let minimumNumberOfUsedChannels = LEFeatures(rawValue: 1 << 16)
  public static let connectionCTERequest = LEFeatures(rawValue: 1 << 17)
  public static let connectionCTEResponse = LEFeatures(rawValue: 1 << 18)
  public static let connectionlessCTETransmitter = LEFeatures(rawValue: 1 << 19)
  public static let connectionlessCTEReceiver = LEFeatures(rawValue: 1 << 20)
  public static let antennaSwitchingDuringTransmission = LEFeatures(rawValue: 1 << 21)
  public static let antennaSwitchingDuringReception = LEFeatures(rawValue: 1 << 22)
  public static let receivingConstantToneExtensions = LEFeatures(rawValue: 1 << 23)
  public static let periodicSyncTransferSender = LEFeatures(rawValue: 1 << 24)
  public static let periodicSyncTransferRecipient = LEFeatures(rawValue: 1 << 25)
  public static let sleepClockAccuracyUpdates = LEFeatures(rawValue: 1 << 26)
  public static let remotePublicKeyValidation = LEFeatures(rawValue: 1 << 27)
  public static let connectedIsochronousCentral = LEFeatures(rawValue: 1 << 28)
  public static let connectedIsochronousPeripheral = LEFeatures(rawValue: 1 << 29)
  public static let isochronousBroadcaster = LEFeatures(rawValue: 1 << 30)
  public static let synchronizedReceiver = LEFeatures(rawValue: 1 << 31)
  public static let connectedIsochronousHostSupport = LEFeatures(rawValue: 1 << 32)
  public static let powerControlRequest = LEFeatures(rawValue: 1 << 33)
  public static let powerChangeIndication = LEFeatures(rawValue: 1 << 34)
  public static let pathLossMonitoring = LEFeatures(rawValue: 1 << 35)
  public static let periodicAdvertisingADI = LEFeatures(rawValue: 1 << 36)
  public static let connectionSubrating = LEFeatures(rawValue: 1 << 37)
  public static let connectionSubratingHostSupport = LEFeatures(rawValue: 1 << 38)
  public static let channelClassification = LEFeatures(rawValue: 1 << 39)
  public static let advertisingCodingSelection = LEFeatures(rawValue: 1 << 40)
  public static let advertisingCodingSelectionHostSupport = LEFeatures(rawValue: 1 << 41)
  public static let periodicAdvertisingWithResponsesAdvertiser = LEFeatures(rawValue: 1 << 43)
  public static let periodicAdvertisingWithResponsesScanner = LEFeatures(rawValue: 1 << 44)
}

/// The LMP features, page 0, that are relevant to a host (Core 5.4 Vol 2 Part C 3.3).
package struct LMPFeatures: OptionSet, Hashable, Sendable {
  package var rawValue: UInt64
  @inlinable
  package init(rawValue: UInt64) { self.rawValue = rawValue }

  package static let threeSlotPackets = LMPFeatures(rawValue: 1 << 0)
  package static let fiveSlotPackets = LMPFeatures(rawValue: 1 << 1)
  package static let encryption = LMPFeatures(rawValue: 1 << 2)
  package static let roleSwitch = LMPFeatures(rawValue: 1 << 5)
  package static let sniffMode = LMPFeatures(rawValue: 1 << 7)
  package static let enhancedDataRate2M = LMPFeatures(rawValue: 1 << 25)
  package static let enhancedDataRate3M = LMPFeatures(rawValue: 1 << 26)
  package static let interlacedInquiryScan = LMPFeatures(rawValue: 1 << 28)
  package static let interlacedPageScan = LMPFeatures(rawValue: 1 << 29)
  package static let rssiWithInquiryResults = LMPFeatures(rawValue: 1 << 30)
  package static let brEDRNotSupported = LMPFeatures(rawValue: 1 << 37)
  package static let leSupportedController = LMPFeatures(rawValue: 1 << 38)
  package static let threeSlotEnhancedPackets = LMPFeatures(rawValue: 1 << 39)
  package static let fiveSlotEnhancedPackets = LMPFeatures(rawValue: 1 << 40)
  package static let sniffSubrating = LMPFeatures(rawValue: 1 << 41)
  package static let pauseEncryption = LMPFeatures(rawValue: 1 << 42)
  package static let extendedInquiryResponse = LMPFeatures(rawValue: 1 << 48)
  package static let simultaneousLEAndBREDR = LMPFeatures(rawValue: 1 << 49)
  package static let secureSimplePairing = LMPFeatures(rawValue: 1 << 51)
  package static let linkSupervisionTimeoutChangedEvent = LMPFeatures(rawValue: 1 << 56)
  package static let extendedFeatures = LMPFeatures(rawValue: 1 << 63)
}

extension LEFeatures {
  /// Returns the features that a version of the specification defines, including those of earlier versions (Core 5.4 Vol 6 Part B 4.6, by
  /// the tables of each version).
  package static func known(in version: CoreVersion) -> LEFeatures {
    let count: UInt64 =
      switch version {
      case ...CoreVersion.v4_0: 1
      case .v4_1: 5
      case .v4_2: 8
      case .v5_0: 17
      case .v5_1: 28
      case .v5_2: 36
      case .v5_3: 41
      default: 64
      }
    return LEFeatures(rawValue: count == 64 ? .max : (1 << count) - 1)
  }
}
