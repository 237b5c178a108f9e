/// The identity of an ATT bearer on a link: the CID of its L2CAP channel on this side (Core 5.4 Vol 3 Part F 3.2.11).
public struct BearerID: Hashable, Sendable {
  /// The CID.
  public var rawValue: UInt16

  /// Creates the identity of the bearer on the channel with this CID.
  public init(rawValue: UInt16) { self.rawValue = rawValue }

  /// The bearer that is not an enhanced one (Core 5.4 Vol 3 Part G 5.2): over LE that of the fixed channel, which every link has; over BR/EDR
  /// that on the channel to PSM 0x001F, whatever its CID (5.4). All others are enhanced bearers (5.3).
  public static let fixed = BearerID(rawValue: 0x0004)
}
