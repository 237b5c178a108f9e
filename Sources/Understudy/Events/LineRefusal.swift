import AccessoryProfile
import BLEHCI

/// Why a connection to one of our sockets was closed: the other side does not use HCI over H4.
public struct LineRefusal: Hashable, Sendable {
  /// What was wrong with the connection.
  public enum Reason: Hashable, Sendable {
    /// Its first octets are not an H4 packet.
    case foreign(H4Opening.Speech)
    /// It sent nothing, and then left or had to make room for another.
    case silent
  }

  /// The address that it connected to, in the syntax that it would use: `tcp-client:127.0.0.1:7001`.
  public var place: String
  /// Why it was closed.
  public var reason: Reason

  /// Creates the refusal of a connection to that address.
  public init(place: String, reason: Reason) { (self.place, self.reason) = (place, reason) }
}

extension LineRefusal {
  /// The reason as text.
  public var text: String {
    switch reason {
    case .foreign(.http): "it speaks HTTP, not H4"
    case .foreign(.tls): "it speaks TLS, not H4"
    case .foreign(.unknown): "its first octets are not an H4 packet"
    case .silent: "it sent nothing"
    }
  }

  /// The fields of the event.
  var json: [String: ProfileValue] { ["place": .string(place), "reason": .string(text)] }
}
