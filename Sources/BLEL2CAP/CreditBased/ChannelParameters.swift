import BLECore

/// The number of K-frames that a peer may send before it needs more credits (Core 5.4 Vol 3 Part A 10.1).
public enum CreditPolicy: Hashable, Sendable {
  /// Enough frames for this many octets, and for at least one SDU of the channel's MTU.
  case window(octets: Int)
  /// This many frames, whatever they carry. With 0, the peer can send nothing until `LinkChannels.giveCredits`.
  case frames(Int)

  /// Enough for a busy radio over a long connection interval.
  public static let standard = CreditPolicy.window(octets: 64 * 1024)

  /// Returns the credits of a channel with these limits.
  func credits(mtu: Int, mps: Int) -> Int {
    switch self {
    case .window(let octets):
      let frames = { (octets: Int) in octets / mps + (octets.isMultiple(of: mps) ? 0 : 1) }
      return min(max(frames(octets), frames(mtu + KFrame.sduLengthOctetCount), 1), KFrame.maximumCredits)
    case .frames(let count): return min(max(count, 0), KFrame.maximumCredits)
    }
  }
}

/// The limits of this side for a channel.
public struct ChannelParameters: Hashable, Sendable {
  /// The longest SDU, in octets.
  public let mtu: Int
  /// The longest payload of a K-frame, in octets.
  public let mps: Int
  /// The number of K-frames that the peer may send before it needs more credits.
  public let credits: CreditPolicy
  /// The number of SDU octets that may be queued. An SDU is accepted while fewer are queued.
  public let queueLimit: Int

  /// Creates parameters, clamped to the limits of the specification: an MTU of 23...65535 and an MPS of 23...65533 octets.
  public init(mtu: Int, mps: Int, credits: CreditPolicy = .standard, queueLimit: Int = 64 * 1024) {
    self.mtu = min(max(mtu, KFrame.minimumLength), KFrame.maximumMTU)
    self.mps = min(max(mps, KFrame.minimumLength), KFrame.maximumMPS)
    self.credits = credits
    self.queueLimit = max(queueLimit, 1)
  }

  /// The same parameters, clamped to the limits of enhanced channels: an MTU and MPS of at least 64 octets, and at least one initial
  /// credit.
  var enhanced: ChannelParameters {
    ChannelParameters(
      mtu: max(mtu, KFrame.enhancedMinimumLength), mps: max(mps, KFrame.enhancedMinimumLength),
      credits: credits.credits(mtu: mtu, mps: mps) == 0 ? .frames(1) : credits, queueLimit: queueLimit)
  }
}

/// A PSM that this side publishes, so that peers can open channels to it.
public struct PublishedChannel: Hashable, Sendable {
  /// The PSM.
  public var psm: SPSM
  /// The parameters of each channel.
  public var parameters: ChannelParameters
  /// The requirement that a link must meet before a channel is opened.
  public var requirement: AccessRequirement
  /// The authorization, if the requirement asks for it.
  public var authorization: ChannelAuthorization
  /// The maximum number of open channels to it on one link.
  public var maximumChannels: Int
  /// The transports over which peers can open it.
  public var transports: Set<LinkTransport>

  /// Creates a published channel.
  public init(
    psm: SPSM, parameters: ChannelParameters, requirement: AccessRequirement = .open,
    authorization: ChannelAuthorization = .denied, maximumChannels: Int = LinkChannels.maximumChannels,
    transports: Set<LinkTransport> = LinkTransport.all
  ) {
    self.psm = psm
    self.parameters = parameters
    self.requirement = requirement
    self.authorization = authorization
    self.maximumChannels = maximumChannels
    self.transports = transports
  }
}

/// The authorization of a peer to open a channel whose requirement asks for it.
public enum ChannelAuthorization: Hashable, Sendable {
  /// Always granted.
  case granted
  /// Never granted.
  case denied
  /// The application decides (`ChannelApplication.authorize`), and may answer later.
  case asked
}

/// The limits of K-frames (Core 5.4 Vol 3 Part A 3.4).
public enum KFrame {
  /// The size of the SDU length field at the start of an SDU's first K-frame, in octets.
  public static let sduLengthOctetCount = 2
  /// The minimum MTU and MPS, in octets (Core 5.4 Vol 3 Part A 4.22).
  static let minimumLength = 23
  /// The minimum MTU and MPS of enhanced channels, in octets (Core 5.4 Vol 3 Part A 4.25).
  static let enhancedMinimumLength = 64
  /// The maximum MTU, in octets.
  static let maximumMTU = 65535
  /// The maximum MPS, in octets.
  static let maximumMPS = 65533
  /// The maximum number of outstanding credits (Core 5.4 Vol 3 Part A 10.1).
  static let maximumCredits = 65535
}
