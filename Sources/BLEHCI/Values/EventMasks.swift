/// Which events the controller sends (Core 5.4 Vol 4 Part E 7.3.1). Only the bits of events that LE has.
public struct EventMask: OptionSet, Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let disconnectionComplete = EventMask(rawValue: 1 << 4)
  public static let encryptionChange = EventMask(rawValue: 1 << 7)
  public static let readRemoteVersionInformationComplete = EventMask(rawValue: 1 << 11)
  public static let hardwareError = EventMask(rawValue: 1 << 15)
  public static let dataBufferOverflow = EventMask(rawValue: 1 << 25)
  public static let encryptionKeyRefreshComplete = EventMask(rawValue: 1 << 47)
  public static let leMeta = EventMask(rawValue: 1 << 61)

  /// What holds after a reset: no LE events.
  public static let specificationDefault = EventMask(rawValue: 0x0000_1FFF_FFFF_FFFF)
}

/// Which of the later events the controller sends (Core 5.4 Vol 4 Part E 7.3.69); none after a reset.
public struct EventMaskPage2: OptionSet, Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let authenticatedPayloadTimeoutExpired = EventMaskPage2(rawValue: 1 << 23)
  public static let encryptionChangeV2 = EventMaskPage2(rawValue: 1 << 25)
}

/// Which LE Meta events the controller sends (Core 5.4 Vol 4 Part E 7.8.1).
public struct LEEventMask: OptionSet, Hashable, Sendable {
  public var rawValue: UInt64
  @inlinable
  public init(rawValue: UInt64) { self.rawValue = rawValue }

  public static let connectionComplete = LEEventMask(rawValue: 1 << 0)
  public static let advertisingReport = LEEventMask(rawValue: 1 << 1)
  public static let connectionUpdateComplete = LEEventMask(rawValue: 1 << 2)
  public static let readRemoteFeaturesComplete = LEEventMask(rawValue: 1 << 3)
  public static let longTermKeyRequest = LEEventMask(rawValue: 1 << 4)
  public static let remoteConnectionParameterRequest = LEEventMask(rawValue: 1 << 5)
  public static let dataLengthChange = LEEventMask(rawValue: 1 << 6)
  public static let readLocalP256PublicKeyComplete = LEEventMask(rawValue: 1 << 7)
  public static let generateDHKeyComplete = LEEventMask(rawValue: 1 << 8)
  public static let enhancedConnectionComplete = LEEventMask(rawValue: 1 << 9)
  public static let directedAdvertisingReport = LEEventMask(rawValue: 1 << 10)
  public static let phyUpdateComplete = LEEventMask(rawValue: 1 << 11)
  public static let extendedAdvertisingReport = LEEventMask(rawValue: 1 << 12)
  public static let scanTimeout = LEEventMask(rawValue: 1 << 16)
  public static let advertisingSetTerminated = LEEventMask(rawValue: 1 << 17)
  public static let scanRequestReceived = LEEventMask(rawValue: 1 << 18)
  public static let channelSelectionAlgorithm = LEEventMask(rawValue: 1 << 19)

  /// What holds after a reset: the first five.
  public static let specificationDefault = LEEventMask(rawValue: 0x1F)

  /// The bit of that LE Meta event; nil for numbers that have none.
  @inlinable
  public init?(_ subevent: LESubevent) {
    guard (1...64).contains(subevent.rawValue) else { return nil }
    self.init(rawValue: 1 << UInt64(subevent.rawValue - 1))
  }
}
