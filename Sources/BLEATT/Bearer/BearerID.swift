/// The identity of an ATT bearer on a link: the CID of its L2CAP channel on this side (Core 5.4 Vol 3 Part F 3.2.11).
public struct BearerID: Hashable, Sendable {
  /// The CID.
  public var rawValue: UInt16

  /// Creates the identity of the bearer on the channel with this CID.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The bearer that every link has (Core 5.4 Vol 3 Part G 5.2). All others are enhanced bearers (5.3).
  public static let fixed = BearerID(rawValue: 0x0004)
}
