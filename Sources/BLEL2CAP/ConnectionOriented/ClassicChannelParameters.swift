import BLECore

/// The limits of this side for a connection-oriented channel on BR/EDR.
public struct ClassicChannelParameters: Hashable, Sendable {
  /// The longest SDU that this side accepts, in octets.
  public let mtu: Int
  /// The number of SDU octets that may be queued. An SDU is accepted while fewer are queued.
  public let queueLimit: Int
  /// The modes that this side allows.
  public let mode: ClassicChannelMode
  /// The limits in Enhanced Retransmission Mode.
  public let retransmission: RetransmissionParameters

  /// Creates parameters, clamped to the limits of the specification: an MTU of 48...65535 octets (Core 5.4 Vol 3 Part A 5.1).
  public init(
    mtu: Int = Int(MTUOption.defaultMTU), queueLimit: Int = 64 * 1024, mode: ClassicChannelMode = .basic,
    retransmission: RetransmissionParameters = RetransmissionParameters()
  ) {
    self.mtu = min(max(mtu, Int(MTUOption.minimumMTU)), 0xFFFF)
    self.queueLimit = max(queueLimit, 1)
    self.mode = mode
    self.retransmission = retransmission
  }
}

/// A PSM that this side publishes on BR/EDR, so that peers can open channels to it.
public struct PublishedClassicChannel: Hashable, Sendable {
  /// The PSM.
  public var psm: PSM
  /// The parameters of each channel.
  public var parameters: ClassicChannelParameters
  /// The requirement that a link must meet before a channel is opened.
  public var requirement: AccessRequirement
  /// The authorization, if the requirement asks for it.
  public var authorization: ChannelAuthorization
  /// The maximum number of channels that the peer may have open to it on one link.
  public var maximumChannels: Int

  /// Creates a published channel.
  public init(
    psm: PSM, parameters: ClassicChannelParameters = ClassicChannelParameters(),
    requirement: AccessRequirement = .open, authorization: ChannelAuthorization = .denied,
    maximumChannels: Int = ClassicChannels.maximumChannels
  ) {
    self.psm = psm
    self.parameters = parameters
    self.requirement = requirement
    self.authorization = authorization
    self.maximumChannels = maximumChannels
  }
}

/// What this side answers to Information Requests (Core 5.4 Vol 3 Part A 4.10).
public struct ClassicInformation: Hashable, Sendable {
  /// The features of this side, besides those that its channels have.
  public var features: ExtendedFeatures
  /// The fixed channels of this side.
  public var fixedChannels: FixedChannels
  /// The longest connectionless SDU that this side accepts, in octets; nil if it accepts none.
  public var connectionlessMTU: UInt16?

  /// Creates the answers of a side without other features.
  public init(
    features: ExtendedFeatures = [.fixedChannels], fixedChannels: FixedChannels = [.signalling],
    connectionlessMTU: UInt16? = nil
  ) {
    self.features = features
    self.fixedChannels = fixedChannels
    self.connectionlessMTU = connectionlessMTU
  }

  /// Returns the answer to a request. `retransmits` says whether some channels allow Enhanced Retransmission Mode.
  func answer(_ type: InformationType, retransmits: Bool) -> InformationResponse {
    switch type {
    case .extendedFeatures:
      InformationResponse(
        extendedFeatures: retransmits
          ? features.union([.enhancedRetransmissionMode, .frameCheckOption]) : features)
    case .fixedChannels where features.contains(.fixedChannels): InformationResponse(fixedChannels: fixedChannels)
    case .connectionlessMTU:
      connectionlessMTU.map { InformationResponse(connectionlessMTU: $0) } ?? InformationResponse(type, .notSupported)
    default: InformationResponse(type, .notSupported)
    }
  }
}
