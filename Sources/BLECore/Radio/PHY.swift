/// A physical layer of the LE radio (Core 5.4 Vol 6 Part A 2), with its number in HCI.
public struct PHY: OpenCode {
  /// The octet in HCI commands and events.
  public var rawValue: UInt8
  /// Creates the PHY with this octet.
  @inlinable
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// None: an extended report of a packet without a secondary channel.
  public static let none = PHY(rawValue: 0)
  /// LE 1M.
  public static let le1M = PHY(rawValue: 1)
  /// LE 2M.
  public static let le2M = PHY(rawValue: 2)
  /// LE Coded.
  public static let leCoded = PHY(rawValue: 3)
}
