/// A peer, as a host and its application tell peers apart: its GATT client, what it has subscribed to and been authorized for,
/// what it is asked, and its channels.
///
/// The host chooses it, and it is not the connection handle: a peer that comes back with its bond can get the one it had.
public struct ClientID: Hashable, Sendable, ExpressibleByIntegerLiteral {
  /// The number; no two peers have the same at one time.
  public let rawValue: UInt32

  /// The peer with that number.
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// The client with this number.
  public init(integerLiteral value: UInt32) { rawValue = value }
}

extension ClientID: CustomStringConvertible {
  /// The number in decimals.
  public var description: String { "\(rawValue)" }
}
