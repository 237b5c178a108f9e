import BLECore

/// The modes of a device over BR/EDR that can change while it runs (Core 5.4 Vol 3 Part C 4.1, 4.2); what is nil stays as it is.
public struct ClassicModes: Hashable, Sendable {
  /// Whether inquiries find it.
  public var discoverability: ClassicSettings.Discoverability?
  /// Whether it accepts connections.
  public var isConnectable: Bool?

  /// Creates a change of one or both modes.
  public init(discoverability: ClassicSettings.Discoverability? = nil, isConnectable: Bool? = nil) {
    (self.discoverability, self.isConnectable) = (discoverability, isConnectable)
  }
}
