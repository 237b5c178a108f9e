import BLECore

/// How many K-frames a peer may send before it must wait for more credits (Core 5.4 Vol 3 Part A 10.1).
public enum CreditPolicy: Hashable, Sendable {
  /// As many as carry that many octets, and at least one SDU of the channel's MTU.
  case window(octets: Int)
  /// That many, whatever they carry. With 0, nothing comes in before `LinkChannels.giveCredits`.
  case frames(Int)

  /// Enough for a radio that is kept busy over a long connection interval.
  public static let standard = CreditPolicy.window(octets: 64 * 1024)

  /// The credits for a channel with these limits.
  func credits(mtu: Int, mps: Int) -> Int {
    switch self {
    case .window(let octets):
      let frames = { (octets: Int) in octets / mps + (octets.isMultiple(of: mps) ? 0 : 1) }
      return min(max(frames(octets), frames(mtu + KFrame.sduLengthOctetCount), 1), KFrame.maximumCredits)
    case .frames(let count): return min(max(count, 0), KFrame.maximumCredits)
    }
  }
}

/// What this side takes on a channel, and how much it keeps for it.
public struct ChannelParameters: Hashable, Sendable {
  /// The longest SDU, in octets.
  public let mtu: Int
  /// The longest payload of a K-frame, in octets.
  public let mps: Int
  /// How many K-frames the peer may send before it must wait.
  public let credits: CreditPolicy
  /// How many octets of SDUs may wait to be sent; an SDU is taken as long as fewer wait.
  public let queueLimit: Int

  /// Parameters, brought into the limits that the specification sets: an MTU of 23...65535 and an MPS of 23...65533 octets.
  public init(mtu: Int, mps: Int, credits: CreditPolicy = .standard, queueLimit: Int = 64 * 1024) {
    self.mtu = min(max(mtu, KFrame.minimumLength), KFrame.maximumMTU)
    self.mps = min(max(mps, KFrame.minimumLength), KFrame.maximumMPS)
    self.credits = credits
    self.queueLimit = max(queueLimit, 1)
  }

  /// The same parameters within the limits of enhanced channels, whose MTU and MPS are at least 64 octets and which begin
  /// with a credit.
  var enhanced: ChannelParameters {
    ChannelParameters(
      mtu: max(mtu, KFrame.enhancedMinimumLength), mps: max(mps, KFrame.enhancedMinimumLength),
      credits: credits.credits(mtu: mtu, mps: mps) == 0 ? .frames(1) : credits, queueLimit: queueLimit)
  }
}

/// What is published under a PSM, for peers to open channels to.
public struct PublishedChannel: Hashable, Sendable {
  /// The PSM.
  public var psm: SPSM
  /// What each channel takes.
  public var parameters: ChannelParameters
  /// What a link must offer before a channel is opened on it.
  public var requirement: AccessRequirement
  /// Who decides when the requirement asks for authorization.
  public var authorization: ChannelAuthorization
  /// How many channels may be open to it on one link.
  public var maximumChannels: Int

  /// Something published.
  public init(
    psm: SPSM, parameters: ChannelParameters, requirement: AccessRequirement = .open,
    authorization: ChannelAuthorization = .denied, maximumChannels: Int = LinkChannels.maximumChannels
  ) {
    self.psm = psm
    self.parameters = parameters
    self.requirement = requirement
    self.authorization = authorization
    self.maximumChannels = maximumChannels
  }
}

/// Who decides whether a peer may open a channel whose requirement asks for authorization.
public enum ChannelAuthorization: Hashable, Sendable {
  /// It may.
  case granted
  /// It may not.
  case denied
  /// The application is asked (`ChannelApplication.authorize`), and may answer later.
  case asked
}

/// The limits of K-frames (Core 5.4 Vol 3 Part A 3.4).
public enum KFrame {
  /// How many octets the first K-frame of an SDU begins with to say the SDU's length.
  public static let sduLengthOctetCount = 2
  /// The least MTU and MPS, in octets (Core 5.4 Vol 3 Part A 4.22).
  static let minimumLength = 23
  /// The least MTU and MPS of enhanced channels, in octets (Core 5.4 Vol 3 Part A 4.25).
  static let enhancedMinimumLength = 64
  /// The greatest MTU, in octets.
  static let maximumMTU = 65535
  /// The greatest MPS, in octets.
  static let maximumMPS = 65533
  /// The most credits that may be outstanding (Core 5.4 Vol 3 Part A 10.1).
  static let maximumCredits = 65535
}
