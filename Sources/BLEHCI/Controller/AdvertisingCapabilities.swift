/// A controller's advertising capabilities as it reported them.
public struct AdvertisingCapabilities: Hashable, Sendable {
  /// Whether the extended commands are used. This is chosen once, because the first command of one family locks out the other (Core 5.4
  /// Vol 4 Part E 3.1.1).
  public var usesExtendedCommands: Bool
  /// The longest advertising data of a set, in octets.
  public var maximumDataLength: Int
  /// The longest advertising data of a connectable extended set, in octets, if less than `maximumDataLength`: it has to fit into one
  /// packet (Core 5.4 Vol 6 Part B 2.3.1.6), and some controllers report only the limit of a chain of packets.
  public var maximumConnectableDataLength = Int.max
  /// The number of advertising sets that it supports.
  public var setCount: Int
  /// The size of its filter accept list; zero if the list is not needed or not supported.
  public var acceptListSize = 0
  /// The size of its resolving list; zero if the list is not needed or not supported.
  public var resolvingListSize = 0
  /// Whether it sets the transmit power with Zephyr's vendor command. Such a controller ignores the power in a set's parameters, and only
  /// returns the requested value.
  public var writesTransmitPower = false

  /// Creates capabilities.
  public init(usesExtendedCommands: Bool, maximumDataLength: Int = 31, setCount: Int = 1) {
    self.usesExtendedCommands = usesExtendedCommands
    self.maximumDataLength = maximumDataLength
    self.setCount = setCount
  }
}
