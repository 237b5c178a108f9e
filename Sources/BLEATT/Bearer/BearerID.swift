/// Names an ATT bearer of a link by the CID of its L2CAP channel on this side (Core 5.4 Vol 3 Part F 3.2.11).
public struct BearerID: Hashable, Sendable {
  /// The CID.
  public var rawValue: UInt16

  /// The bearer on the channel with that CID.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The bearer that every link has (Core 5.4 Vol 3 Part G 5.2); the others are enhanced ones (5.3).
  public static let fixed = BearerID(rawValue: 0x0004)
}
