/// A peer as a host and its application identify it: its GATT client with its subscriptions and authorizations, its pending questions, and
/// its channels.
///
/// The host assigns it. It is not the connection handle: a peer that reconnects with its bond may get its previous one.
public struct ClientID: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number. No two connected peers have the same number.
  public let rawValue: UInt32

  /// Creates the peer with this number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Creates the peer with this number.
  public init(integerLiteral value: UInt32) { rawValue = value }
}

extension ClientID: CustomStringConvertible {
  /// The number in decimal.
  public var description: String { "\(rawValue)" }
}
